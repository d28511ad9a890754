//! Pass 5: the client crate. Progenitor writes a request builder for each operation; `trim` removes from it
//! what is hand-written; `send` names what is sent; `paging` adds page streams.

mod credentials;
mod internal;
mod paging;
mod send;
mod trim;

use proc_macro2::TokenStream;
use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::credential;
use crate::document::{Document, Operation, SchemaKind};
use crate::formats::conversions;
use crate::lower::lower;
use crate::output::{GeneratedFile, doc};
use crate::responses;
use crate::rust::{alternative, builder_name, constant_name, method_name, server_variant, upload_type};
use internal::internal;
use trim::Builders;

const DIRECTORY: &str = "crates/client/src/generated";

/// The files of the client crate.
pub(crate) fn emit(document: &Document) -> Result<Vec<GeneratedFile>, Error> {
    let mut builders = Builders::from_progenitor(progenitor(document)?)?;
    let mut files = vec![root(document)?];
    for tag in tags(document) {
        let mut methods = TokenStream::new();
        let mut items = TokenStream::new();
        for operation in document.operations_of(tag) {
            methods.extend(method(operation));
            items.extend(builders.take(operation)?);
            items.extend(send::emit(operation));
            items.extend(responses::of_client(operation));
            items.extend(paging::emit(operation));
        }
        let file = quote! {
            use super::operations;
            use crate::codegen::*;

            impl Client { #methods }

            #items
        };
        files.push(GeneratedFile::new(
            format!("{DIRECTORY}/{}.rs", tag.name),
            &tag.paragraph(),
            file,
        )?);
    }
    files.push(operations(document)?);
    files.push(credentials::emit(document, format!("{DIRECTORY}/credentials.rs"))?);
    builders.finish()?;
    Ok(files)
}

fn tags(document: &Document) -> impl Iterator<Item = &crate::document::Tag> {
    document
        .tags
        .iter()
        .filter(|tag| document.operations.iter().any(|operation| operation.tag == tag.name))
}

/// Progenitor's client, with every named type replaced by the models' own.
fn progenitor(document: &Document) -> Result<TokenStream, Error> {
    let spec = lower(document)?;
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Builder);
    let text_impls = [TypeImpl::FromStr, TypeImpl::Display];
    for (format, name) in conversions() {
        settings.with_conversion(format, name, text_impls.iter().copied());
    }
    for schema in &document.schemas {
        let impls = match schema.kind {
            SchemaKind::OpenEnum(_) | SchemaKind::ClosedEnum(_) | SchemaKind::IntegerEnum(_) => &text_impls[..],
            _ => &text_impls[..0],
        };
        settings.with_replacement(&schema.name, format!("models::{}", schema.name), impls.iter().copied());
    }
    Generator::new(&settings).generate_tokens(&spec).map_err(internal)
}

/// The method that begins a call.
fn method(operation: &Operation) -> TokenStream {
    let mut paragraphs = operation.docs.paragraphs();
    paragraphs.extend(operation.scopes());
    paragraphs.push(format!("Sends {}.", operation.endpoint_span()));
    let docs = doc(&paragraphs);
    let name = method_name(operation);
    let builder = builder_name(operation);
    let deprecated = operation.docs.deprecated_attribute();
    let argument = required_body(operation);
    let stream = operation.request.as_ref().is_some_and(|body| body.content.is_stream());
    let value = argument.is_some().then(|| match stream {
        true => quote!(, body.into()),
        false => quote!(, body),
    });
    quote! {
        #docs
        #deprecated
        pub fn #name(&self #argument) -> #builder<'_> { #builder::new(self #value) }
    }
}

/// The argument for the body, if it is required.
fn required_body(operation: &Operation) -> Option<TokenStream> {
    let body = operation.request.as_ref().filter(|body| body.required)?;
    let ty = upload_type(&body.content);
    Some(match body.content.is_stream() {
        true => quote!(, body: impl Into<#ty>),
        false => quote!(, body: #ty),
    })
}

fn root(document: &Document) -> Result<GeneratedFile, Error> {
    let (mut modules, mut exports) = (TokenStream::new(), TokenStream::new());
    for tag in tags(document) {
        let module = format_ident!("{}", tag.name);
        let builders = document
            .operations_of(tag)
            .flat_map(|operation| std::iter::once(builder_name(operation)).chain(responses::names(operation)));
        modules.extend(quote!(pub mod #module;));
        exports.extend(quote!(pub use #module::{#(#builders),*};));
    }
    let docs = format!("The operations of {}, one module per tag.", document.name());
    let items = quote!(#modules pub(crate) mod credentials; pub mod operations; #exports);
    GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, items)
}

/// The constants that the transport needs for each operation: its server and the credentials that it accepts.
fn operations(document: &Document) -> Result<GeneratedFile, Error> {
    let servers = document.servers.iter().map(|server| {
        let name = server_variant(&server.variable);
        let docs = doc(&[server.paragraph()]);
        quote!(#docs #name)
    });
    let credential = credential(document, &quote!(#[non_exhaustive]));
    let constants = document.operations.iter().map(|operation| {
        let docs = doc(&[operation.endpoint_span()]);
        let method = format_ident!("{}", operation.method.name());
        let name = constant_name(operation);
        let (id, path) = (&operation.id, &operation.path);
        let server = server_variant(&operation.server);
        let security = operation.security.iter().map(alternative);
        quote! {
            #docs
            pub const #name: Operation = Operation {
                id: #id,
                method: Method::#method,
                path: #path,
                server: Server::#server,
                security: &[#(#security),*],
                span: || span!(#id),
            };
        }
    });
    let items = quote! {
        use crate::codegen::{Carrier, Method, Operation, span};

        /// A server of the interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Server { #(#servers),* }

        #credential

        #(#constants)*
    };
    GeneratedFile::new(
        format!("{DIRECTORY}/operations.rs"),
        "The server of each operation, and the credentials that it accepts.",
        items,
    )
}
