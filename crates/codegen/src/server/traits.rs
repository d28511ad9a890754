//! The traits that an implementer implements: `Auth`, and one for each tag.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Ident;

use crate::Error;
use crate::document::{Carrier, ContentKind, Document, Operation, Tag};
use crate::output::{GeneratedFile, doc};
use crate::responses::headers_type;
use crate::rust::{input_name, method_name, reply_type, response_type, scheme_method, scheme_type, trait_name};

/// The file of `Auth` and `Api`.
pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let traits: Vec<_> = document.operation_tags().map(|tag| trait_name(&tag.name)).collect();
    let imports = (!traits.is_empty()).then(|| quote!(use super::{#(#traits),*};));
    let codegen = (!document.security.is_empty()).then(|| {
        quote!(
            use crate::codegen::*;
        )
    });
    let auth = auth(document);
    GeneratedFile::new(
        path,
        "Authentication, and all operations together.",
        quote! {
            #imports
            #codegen

            #auth

            /// A back end that has all operations: it implements [`Auth`] and the trait of each tag.
            pub trait Api: Auth #(+ #traits)* {}

            impl<T: Auth #(+ #traits)*> Api for T {}
        },
    )
}

/// The trait that authenticates callers.
pub(super) fn auth(document: &Document) -> TokenStream {
    let callers = document.security.iter().map(|scheme| {
        let ty = scheme_type(&scheme.name);
        let method = scheme_method(&scheme.name);
        let place = scheme.carrier.place();
        let scoped = document.is_scoped(&scheme.name);
        let bound = scoped.then(|| quote!(Scoped+));
        let type_docs = doc(&[format!("The owner of a credential in the {place}.")]);
        let method_docs = doc(&[
            format!("Returns the owner of a credential from the {place}."),
            scheme.paragraph(),
            "# Errors\n\n[`ApiError::unauthorized`] if the credential is not valid.".to_owned(),
        ]);
        let argument = match scheme.carrier {
            Carrier::Basic => quote!(Basic),
            _ => quote!(str),
        };
        (
            quote!(#type_docs type #ty: #bound Send;),
            quote! {
                #method_docs
                fn #method(&self, credential: &#argument) -> impl Future<Output = Result<Self::#ty, ApiError>> + Send;
            },
        )
    });
    let (types, checks): (Vec<_>, Vec<_>) = callers.unzip();
    quote! {
        /// Authenticates callers. The router calls it before it reads the rest of a request.
        pub trait Auth: Send + Sync + 'static {
            #(#types)*
            #(#checks)*
        }
    }
}

/// The trait of the operations of a tag.
pub(super) fn of_tag(tag: &Tag, operations: &[&Operation]) -> TokenStream {
    let name = trait_name(&tag.name);
    let docs = doc(&[
        format!(
            "The operations of the tag `{}`, one method each. None has a default, so a missing operation does not compile.",
            tag.name
        ),
        "A method receives the owners of the credentials, and input that was checked against the document's bounds."
            .to_owned(),
    ]);
    let methods = operations.iter().map(|operation| method(operation));
    quote! {
        #docs
        pub trait #name: Auth { #(#methods)* }
    }
}

/// The method of an operation, without a body.
pub(super) fn method(operation: &Operation) -> TokenStream {
    let mut paragraphs = operation.docs.paragraphs();
    paragraphs.extend(operation.scopes());
    paragraphs.push(operation.endpoint_span());
    let docs = doc(&paragraphs);
    let name = method_name(operation);
    let (result, deprecated) = (result(operation), operation.docs.deprecated_attribute());
    let arguments = arguments(operation).into_iter().map(|(name, ty)| quote!(#name: #ty));
    quote! {
        #docs
        #deprecated
        fn #name(&self #(, #arguments)*) -> impl Future<Output = #result> + Send;
    }
}

/// The arguments of an operation's method, with their types: the owners of the credentials, and the input.
fn arguments(operation: &Operation) -> Vec<(Ident, TokenStream)> {
    let callers = operation.requirements.iter().map(|requirement| {
        let (argument, ty) = (scheme_method(&requirement.scheme), scheme_type(&requirement.scheme));
        let ty = if requirement.required {
            quote!(Self::#ty)
        } else {
            quote!(Option<Self::#ty>)
        };
        (argument, ty)
    });
    let input = operation
        .has_input()
        .then(|| (format_ident!("input"), input_name(operation).to_token_stream()));
    callers.chain(input).collect()
}

/// The return type of an operation's method: the body, the headers, or both.
fn result(operation: &Operation) -> TokenStream {
    let ty = response_type(operation, reply_type);
    let headers = headers_type(&operation.success).filter(|_| !operation.is_choice());
    match (operation.response().map(|content| &content.kind), headers) {
        (Some(ContentKind::Json(_)), Some(headers)) => quote!(Result<(Reply<#ty>, #headers), ApiError>),
        (Some(_), Some(headers)) => quote!(Result<(#ty, #headers), ApiError>),
        (None, Some(headers)) => quote!(Result<#headers, ApiError>),
        (Some(ContentKind::Json(_)), None) if !operation.is_choice() => quote!(ApiResult<#ty>),
        _ => quote!(Result<#ty, ApiError>),
    }
}
