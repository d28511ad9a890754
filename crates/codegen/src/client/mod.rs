//! Pass 6: the client crate. Progenitor provides the fields of each call, with their types (`builders`); `call` writes
//! the method that begins it, and its setters; `send` names the parameters; `paging` adds page streams.

mod builders;
mod call;
mod credentials;
mod document;
mod field;
mod found_paging;
mod internal;
mod paging;
mod send;

use proc_macro2::TokenStream;
use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TypeImpl};
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::credential;
use crate::document::{Document, SchemaKind};
use crate::formats::conversions;
use crate::imports;
use crate::lower::lower;
use crate::output::{GeneratedFile, doc};
use crate::responses;
use crate::rust::{alternative, builder_name, constant_name, server_variant};
use builders::Builders;
use internal::internal;

const DIRECTORY: &str = "crates/client/src/generated";

/// The files of the client crate.
pub(crate) fn emit(document: &Document) -> Result<Vec<GeneratedFile>, Error> {
    let mut builders = Builders::from_progenitor(progenitor(document)?)?;
    let imports = quote! {
        pub(crate) use crate::models;

        pub(crate) use super::document::{Call, Client, ClientBuilder, Operation, request};
    };
    let mut files = vec![root(document)?, imports::emit("client", &imports)?];
    for tag in tags(document) {
        let mut methods = TokenStream::new();
        let mut items = TokenStream::new();
        for operation in document.operations_of(tag) {
            let fields = builders.take(operation)?;
            methods.extend(call::method(operation, &fields));
            items.extend(call::emit(operation, &fields));
            items.extend(responses::of_client(operation));
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
    files.push(document::emit(document, format!("{DIRECTORY}/document.rs"))?);
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
    let module = imports::module();
    let items = quote! {
        #modules
        #module
        mod credentials;
        pub(crate) mod document;
        pub mod operations;
        #exports
        pub use document::{Client, ClientBuilder, Operation, ThisDocument};
    };
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
        use crate::codegen::{Carrier, HasCarrier, Method, Operation, span};

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
