//! The options of parameters: their rows in the table, and their values in the call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::names::option;
use crate::document::{Document, Parameter, SchemaKind, Type, pattern};
use crate::plain::paragraphs;
use crate::rust::rust_type;

/// The argument of the client's method.
pub(super) fn argument(document: &Document, parameter: &Parameter) -> TokenStream {
    let (ty, option) = (parameter_type(parameter), option(document, parameter));
    let read = match parameter.separator {
        Some(_) => quote!(required_list),
        None => quote!(required),
    };
    quote!(call.#read::<#ty>(#option)?)
}

/// The call of the setter, if the option is given.
pub(super) fn set(document: &Document, parameter: &Parameter) -> TokenStream {
    let (setter, ty) = (format_ident!("{}", parameter.setter()), parameter_type(parameter));
    let option = option(document, parameter);
    let read = match parameter.separator {
        Some(_) => quote!(optional_list),
        None => quote!(optional),
    };
    quote!(if let Some(value) = call.#read::<#ty>(#option)? { request = request.#setter(value); })
}

/// A parameter in the table.
pub(super) fn entry(document: &Document, parameter: &Parameter) -> TokenStream {
    let option = option(document, parameter);
    let mut words: Vec<_> = parameter
        .paragraphs()
        .iter()
        .flat_map(|text| paragraphs(text))
        .collect();
    words.extend(parameter.docs.deprecation());
    let required = parameter.is_argument();
    let list = parameter.separator.is_some();
    let help = words.join(" ");
    let shown = match parameter.item().without_null() {
        _ if parameter.structure.is_some() => "JSON",
        Type::Integer(..) | Type::Number(_) => "N",
        Type::Uuid => "UUID",
        Type::Date => "DATE",
        Type::DateTime => "TIME",
        Type::Boolean => "true|false",
        Type::Ref(_) => "VALUE",
        _ => "TEXT",
    };
    let ty = parameter_type(parameter);
    let values = values(document, parameter);
    let pattern = match parameter.item().without_null() {
        Type::String(limits) => limits.pattern.as_ref(),
        _ => None,
    };
    let pattern = pattern.and_then(|pattern| Some((pattern, pattern::translate(pattern).ok()?)));
    let parser = match (&parameter.structure, pattern) {
        (Some(_), _) => quote!(json::<#ty>),
        (None, Some((shown, pattern))) => quote!(|_| matching(#pattern, #shown)),
        (None, None) => quote!(typed::<#ty>),
    };
    quote! {
        Parameter {
            option: #option,
            help: #help,
            required: #required,
            list: #list,
            shown: #shown,
            values: &[#(#values),*],
            parser: #parser,
        }
    }
}

/// The values that the document names.
fn values<'d>(document: &'d Document, parameter: &Parameter) -> &'d [String] {
    let Type::Ref(name) = parameter.item().without_null() else {
        return &[];
    };
    let schema = document.schemas.iter().find(|schema| schema.name == *name);
    match schema.map(|schema| &schema.kind) {
        Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => values,
        _ => &[],
    }
}

fn parameter_type(parameter: &Parameter) -> TokenStream {
    rust_type(parameter.item(), &quote!(models::))
}
