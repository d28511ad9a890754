//! The options of the body.

use proc_macro2::TokenStream;
use quote::quote;

use super::names::{distinct, option};
use crate::document::{Body, ContentKind, Document, Field, FieldKind, Operation, SchemaKind, Type};
use crate::plain::plain;
use crate::rust::{content_type, rust_type};

/// The options of the body, the argument of the client's method, and the call of its setter.
pub(super) fn emit(document: &Document, operation: &Operation) -> (TokenStream, Option<TokenStream>, TokenStream) {
    let Some(body) = &operation.request else {
        return (quote!(None), None, quote!());
    };
    let required = body.required;
    let help: String = body.paragraphs().iter().map(|text| plain(text)).collect();
    let (values, read) = match &body.content.kind {
        ContentKind::Json(_) | ContentKind::Form(..) => {
            let ty = content_type(&body.content);
            (true, quote!(body::<#ty>()?))
        }
        ContentKind::Multipart(..) => {
            let ty = content_type(&body.content);
            (true, quote!(body_parts::<#ty>()?))
        }
        ContentKind::Lines(ty) => {
            let ty = rust_type(ty, &quote!(models::));
            (false, quote!(body_lines::<#ty>()?))
        }
        ContentKind::Text => (false, quote!(body_text()?)),
        ContentKind::Events(_) | ContentKind::Bytes => (false, quote!(body_bytes()?)),
    };
    let files = files(document, operation, body);
    let table = quote!(Some(Body { help: #help, required: #required, values: #values, files: &[#(#files),*] }));
    if required {
        (table, Some(quote!(call.required_body(call.#read)?)), quote!())
    } else {
        let set = quote!(if let Some(body) = call.#read { request = request.body(body); });
        (table, None, set)
    }
}

/// The rows of the parts that are files.
fn files(document: &Document, operation: &Operation, body: &Body) -> Vec<TokenStream> {
    let ContentKind::Multipart(ty, fields) = &body.content.kind else {
        return Vec::new();
    };
    let taken: Vec<_> = operation
        .parameters
        .iter()
        .map(|parameter| option(document, parameter))
        .collect();
    let files = fields.iter().filter(|field| field.kind == FieldKind::File);
    files
        .map(|field| {
            let (part, list) = (&field.name, field.list);
            let option = distinct(document, part, "part");
            let option = match taken.contains(&option) {
                true => format!("part-{option}"),
                false => option,
            };
            let help = help(document, ty, field);
            quote!(FileOption { option: #option, part: #part, help: #help, list: #list })
        })
        .collect()
}

/// The description of the property.
fn help(document: &Document, ty: &Type, field: &Field) -> String {
    let Type::Ref(name) = ty else { return String::new() };
    let schema = document.schemas.iter().find(|schema| schema.name == *name);
    let Some(SchemaKind::Object { properties, .. }) = schema.map(|schema| &schema.kind) else {
        return String::new();
    };
    let property = properties.iter().find(|property| property.name == field.name);
    let paragraphs = property.map(|property| property.paragraphs()).unwrap_or_default();
    paragraphs.iter().map(|text| plain(text)).collect::<Vec<_>>().join(" ")
}
