//! Pass 6: the mocks: for each operation, the matchers of a call and its response.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use crate::Error;
use crate::credential::carrier;
use crate::document::{Body, Carrier, ContentKind, Document, Operation, ParamLocation, Parameter, Structure};
use crate::imports;
use crate::multipart;
use crate::output::{GeneratedFile, doc};
use crate::rust::{builder_name, content_type, method_name, rust_type, scheme_method};

const DIRECTORY: &str = "crates/mock/src/generated";

/// The files of the mock crate.
pub(crate) fn emit(document: &Document) -> Result<Vec<GeneratedFile>, Error> {
    let (mut modules, mut files) = (Vec::new(), Vec::new());
    for tag in document.operation_tags() {
        let operations = document.operations_of(tag);
        let items: Vec<_> = operations.map(|operation| item(document, operation)).collect();
        files.push(GeneratedFile::of_tag(DIRECTORY, tag, &items)?);
        modules.push(format_ident!("{}", tag.name));
    }
    let docs = format!("Mocks of {}, one module per tag.", document.name());
    let module = imports::module();
    let root = quote! {
        #(pub mod #modules;)*
        #module
        pub(crate) mod document;
        #(pub use #modules::*;)*
        pub use document::When;
    };
    let when = quote! {
        use crate::codegen::{kit, mocks};

        mocks!();

        /// Conditions of calls, and their responses.
        pub(crate) mod when {
            pub(crate) use super::kit::codegen::when::*;
            pub(crate) use super::{When, any_call};
        }
    };
    let imports = quote! {
        pub(crate) use crate::models;

        pub(crate) use super::document::when;
    };
    files.push(imports::emit("mock", &imports)?);
    let path = format!("{DIRECTORY}/document.rs");
    files.push(GeneratedFile::new(path, "The type of calls.", when)?);
    files.push(GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, root)?);
    Ok(files)
}

fn item(document: &Document, operation: &Operation) -> TokenStream {
    let (method, marker, path) = (method_name(operation), builder_name(operation), &operation.path);
    let docs = doc(&[format!("A call of {}.", operation.endpoint_span())]);
    let (response, answer) = respond(operation);
    let argument = match operation.response() {
        Some(_) => quote!(body),
        None => quote!(_),
    };
    let method_of = format_ident!("{}", operation.method.name());
    let body = operation.request.as_ref().and_then(body_setter);
    let deprecated = operation.docs.deprecated_attribute();
    let parameters = operation.parameters.iter().map(setter);
    let credentials = operation.requirements.iter().filter_map(|requirement| {
        let scheme = document
            .security
            .iter()
            .find(|scheme| scheme.name == requirement.scheme)?;
        let name = scheme_method(&scheme.name);
        // A parameter may have the same name.
        let taken = operation
            .parameters
            .iter()
            .any(|parameter| format_ident!("{}", parameter.setter()) == name);
        let name = if taken {
            format_ident!("{name}_credential")
        } else {
            name
        };
        let docs = doc(&[format!("The credential of the {}.", scheme.carrier.place())]);
        let carrier = carrier(&scheme.carrier);
        Some(match scheme.carrier {
            Carrier::Basic => quote! {
                #docs
                pub fn #name(self, user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
                    when::credential(self, #carrier, format!("{}:{}", user.as_ref(), password.as_ref()))
                }
            },
            _ => quote! {
                #docs
                pub fn #name(self, value: impl Into<String>) -> Self { when::credential(self, #carrier, value) }
            },
        })
    });
    let type_docs = doc(&[format!("The type of a call of {}.", operation.endpoint_span())]);
    quote! {
        #docs
        #deprecated
        pub fn #method() -> when::When<#marker> { when::any_call() }

        #type_docs
        #[derive(Clone, Copy, Debug)]
        pub enum #marker {}

        impl when::Operation for #marker {
            const METHOD: Method = Method::#method_of;
            const PATH: &'static str = #path;
            type Body = #response;

            fn answer(#argument: &Self::Body) -> ResponseTemplate { #answer }
        }

        impl when::When<#marker> {
            #(#parameters)*
            #body
            #(#credentials)*
        }
    }
}

/// Matches the body of the request. Streams are not compared.
fn body_setter(body: &Body) -> Option<TokenStream> {
    let docs = doc(&body.paragraphs());
    let ty = content_type(&body.content);
    if let ContentKind::Multipart(_, fields) = &body.content.kind {
        let fields = multipart::fields(fields);
        return Some(quote! {
            #docs
            pub fn body(self, value: impl Into<#ty>) -> Self { when::in_parts(self, &value.into(), #fields) }
        });
    }
    let must = match body.content.kind {
        ContentKind::Json(_) => quote!(when::in_body::<_, #ty>),
        ContentKind::Form(..) => quote!(when::in_form::<_, #ty>),
        ContentKind::Text => quote!(when::in_text),
        ContentKind::Multipart(..) | ContentKind::Lines(_) | ContentKind::Events(_) | ContentKind::Bytes => {
            return None;
        }
    };
    Some(quote! {
        #docs
        pub fn body(self, value: impl Into<#ty>) -> Self { #must(self, value.into()) }
    })
}

/// The type of a mocked response, and the expression that makes the response of it.
fn respond(operation: &Operation) -> (TokenStream, TokenStream) {
    let status = Literal::u16_unsuffixed(operation.success.status);
    let Some(content) = operation.response() else {
        return (quote!(()), quote!(when::empty(#status)));
    };
    let media_type = &content.media_type;
    match &content.kind {
        ContentKind::Lines(ty) => {
            let ty = rust_type(ty, &quote!(models::));
            let answer = match content.is_sequence() {
                true => quote!(sequence),
                false => quote!(lines),
            };
            (quote!(Vec<#ty>), quote!(when::#answer(#status, #media_type, body)))
        }
        ContentKind::Events(Some(ty)) => {
            let ty = rust_type(ty, &quote!(models::));
            (
                quote!(Vec<ServerSentEvent<#ty>>),
                quote!(when::events(#status, #media_type, body)),
            )
        }
        ContentKind::Events(None) => (
            quote!(Vec<ServerSentEvent<String>>),
            quote!(when::text_events(#status, #media_type, body)),
        ),
        ContentKind::Text => (
            quote!(String),
            quote!(when::bytes(#status, #media_type, body.as_bytes())),
        ),
        ContentKind::Bytes => (quote!(Vec<u8>), quote!(when::bytes(#status, #media_type, body))),
        _ => (content_type(content), quote!(when::json(#status, #media_type, body))),
    }
}

/// Matches the value of a parameter.
fn setter(parameter: &Parameter) -> TokenStream {
    let name = &parameter.name;
    let docs = doc(&parameter.paragraphs());
    let setter = format_ident!("{}", parameter.setter());
    let ty = rust_type(&parameter.ty, &quote!(models::));
    let default = default(parameter);
    let structured = parameter.structure.as_ref().map(|structure| match structure {
        Structure::Deep => quote!(when::in_object::<_, #ty>(self, #name, value.into())),
        Structure::Members(members) => {
            quote!(when::in_members::<_, #ty>(self, #name, &[#(#members),*], value.into()))
        }
        Structure::Json => quote!(when::in_json::<_, #ty>(self, #name, value.into())),
    });
    let list = parameter.separator.map(|separator| {
        let (place, ty) = (
            parameter.location.as_str(),
            rust_type(parameter.item(), &quote!(models::)),
        );
        let separator = match separator.character() {
            None => quote!(None),
            Some(character) => quote!(Some(#character)),
        };
        quote!(when::list::<_, #ty>(self, #place, #name, #separator, #default, value.into()))
    });
    let must = match parameter.location {
        _ if structured.is_some() => quote!(#structured),
        _ if list.is_some() => quote!(#list),
        ParamLocation::Path => quote!(when::in_path::<_, #ty>(self, #name, value.into())),
        ParamLocation::Query => quote!(when::in_query::<_, #ty>(self, #name, #default, value.into())),
        ParamLocation::Header => quote!(when::in_header::<_, #ty>(self, #name, #default, value.into())),
        ParamLocation::Cookie => quote!(when::in_cookie::<_, #ty>(self, #name, #default, value.into())),
    };
    let deprecated = parameter.docs.deprecated_attribute();
    quote! {
        #docs
        #deprecated
        pub fn #setter(self, value: impl Into<#ty>) -> Self { #must }
    }
}

/// The value of an absent parameter, as it would be written in a URL.
fn default(parameter: &Parameter) -> TokenStream {
    match &parameter.default {
        None if parameter.separator.is_some() => quote!(&[]),
        None | Some(Value::Null) => quote!(None),
        Some(Value::Array(items)) => {
            let texts = items.iter().map(|item| match item {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            quote!(&[#(#texts),*])
        }
        Some(Value::String(text)) => quote!(Some(#text)),
        Some(other) => {
            let text = other.to_string();
            quote!(Some(#text))
        }
    }
}
