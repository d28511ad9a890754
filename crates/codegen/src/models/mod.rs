//! Pass 6: the models crate, one file per tag.

mod attributes;
mod constructors;
mod enums;
mod envelope;
mod event;
mod page;
mod readers;
mod secrets;
mod structs;
mod types;
mod unions;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Document, Schema, SchemaKind, Type, is_of_kit};
use crate::imports;
use crate::output::{GeneratedFile, doc};
use crate::responses::header_names;
use crate::rust::field_type;
use types::Types;

const DIRECTORY: &str = "crates/models/src/generated";

/// The files of the models crate.
pub(crate) fn emit(document: &Document) -> Result<Vec<GeneratedFile>, Error> {
    let mut types = Types::new(document)?;
    let sent = document.sent_schemas();
    let mut files = vec![root(document)?, imports::emit("models", &quote!())?];
    for tag in tags(document) {
        let schemas = document.schemas.iter().filter(|schema| schema.tag == tag.name);
        let (kit, own): (Vec<_>, Vec<_>) = schemas.partition(|schema| is_of_kit(&schema.name));
        let mut items = match own.is_empty() {
            true => TokenStream::new(),
            false => uses(document, &tag.name),
        };
        if !kit.is_empty() {
            let names = kit.iter().map(|schema| format_ident!("{}", schema.name));
            items.extend(quote!(pub use crate::codegen::problem::{#(#names),*};));
            kit.iter().for_each(|schema| types.leave_out(&schema.name));
        }
        for schema in own {
            items.extend(match &schema.kind {
                SchemaKind::Object { properties, members } => structs::emit(
                    document,
                    schema,
                    properties,
                    members,
                    &mut types,
                    sent.contains(&schema.name),
                )?,
                SchemaKind::OpenEnum(values) => enums::emit(schema, values, enums::Kind::Open),
                SchemaKind::ClosedEnum(values) => {
                    let kind = match document.open_enums.contains(&schema.name) {
                        true => enums::Kind::Open,
                        false => enums::Kind::Closed,
                    };
                    enums::emit(schema, values, kind)
                }
                SchemaKind::IntegerEnum(values) => enums::emit_integers(schema, values),
                SchemaKind::Union(union) => unions::emit(document, schema, union),
                SchemaKind::Alias(ty) => alias(schema, ty),
            });
            items.extend(attributes::emit(document, schema));
            items.extend(page::emit(document, schema));
            items.extend(secrets::emit(schema, &document.visited));
            items.extend(header_names(document, &schema.name));
        }
        files.push(GeneratedFile::new(
            format!("{DIRECTORY}/{}.rs", tag.name),
            &tag.paragraph(),
            items,
        )?);
    }
    if !document.webhooks.is_empty() {
        files.push(event::emit(document, &format!("{DIRECTORY}/webhooks.rs"))?);
    }
    types.finish()?;
    Ok(files)
}

/// The tags that have types.
fn tags(document: &Document) -> impl Iterator<Item = &crate::document::Tag> {
    document
        .tags
        .iter()
        .filter(|tag| document.schemas.iter().any(|schema| schema.tag == tag.name))
}

/// The imports of a tag's file: the types of other tags that it uses, and those of all generated code.
fn uses(document: &Document, tag: &str) -> TokenStream {
    let own = document
        .schemas
        .iter()
        .filter(|schema| schema.tag == tag && !is_of_kit(&schema.name));
    let named: BTreeSet<_> = own
        .flat_map(|schema| schema.references().into_iter().chain(schema.attribute_schemas()))
        .collect();
    let foreign: Vec<_> = document
        .schemas
        .iter()
        .filter(|schema| schema.tag != tag && named.contains(schema.name.as_str()))
        .map(|schema| format_ident!("{}", schema.name))
        .collect();
    let foreign = (!foreign.is_empty()).then(|| quote!(use super::{#(#foreign),*};));
    quote! {
        #foreign
        use crate::codegen::*;
    }
}

/// A type under another name.
fn alias(schema: &Schema, ty: &Type) -> TokenStream {
    let name = format_ident!("{}", schema.name);
    let docs = doc(&schema.docs.paragraphs_or(&schema.name));
    let deprecated = schema.docs.deprecated_attribute();
    let ty = field_type(ty, &quote!());
    quote!(#docs #deprecated pub type #name = #ty;)
}

fn root(document: &Document) -> Result<GeneratedFile, Error> {
    let mut items = TokenStream::new();
    let mut exports = TokenStream::new();
    for tag in tags(document) {
        let module = format_ident!("{}", tag.name);
        let names = document
            .schemas
            .iter()
            .filter(|schema| schema.tag == tag.name)
            .map(|schema| format_ident!("{}", schema.name));
        items.extend(quote!(pub mod #module;));
        exports.extend(quote!(pub use #module::{#(#names),*};));
    }
    if !document.webhooks.is_empty() {
        items.extend(quote!(
            pub mod webhooks;
        ));
        exports.extend(quote!(
            pub use webhooks::Event;
        ));
    }
    let module = imports::module();
    let docs = format!("The types of {}, one module per tag.", document.name());
    GeneratedFile::new(format!("{DIRECTORY}/mod.rs"), &docs, quote!(#module #items #exports))
}
