//! Methods of enums that return the attributes of their values.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Attribute, AttributeValue, Document, Schema, SchemaKind};
use crate::output::doc;

/// The methods of an enum with attributes.
pub(super) fn emit(document: &Document, schema: &Schema) -> TokenStream {
    if schema.attributes.is_empty() {
        return quote!();
    }
    let name = format_ident!("{}", schema.name);
    let is_open = document.open_enums.contains(&schema.name);
    let methods = schema
        .attributes
        .iter()
        .map(|attribute| method(schema, attribute, is_open));
    quote!(impl #name { #(#methods)* })
}

fn method(schema: &Schema, attribute: &Attribute, is_open: bool) -> TokenStream {
    let name = format_ident!("{}", attribute.method());
    let arms: Vec<_> = attribute
        .values
        .iter()
        .map(|(value, holders)| {
            let variants = holders.iter().map(|holder| format_ident!("{}", schema.variant(holder)));
            (quote!(#(Self::#variants)|*), expression(value))
        })
        .collect();
    let (patterns, values): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
    let holders: usize = attribute.values.iter().map(|(_, holders)| holders.len()).sum();
    // A value of an open enum may be any other.
    let is_total = matches!(&schema.kind, SchemaKind::ClosedEnum(values) if values.len() == holders && !is_open);
    let matched = |none: TokenStream| {
        let rest = (!is_total).then(|| quote!(_ => #none,));
        quote!(match self { #(#patterns => #values,)* #rest })
    };
    let described = attribute.description.clone();
    match attribute.values.first() {
        None => quote!(),
        Some((AttributeValue::True, _)) => {
            let docs = doc(&[described]);
            let body = match is_total {
                true => quote!(true),
                false => quote!(matches!(self, #(#patterns)|*)),
            };
            quote!(#docs pub const fn #name(&self) -> bool { #body })
        }
        Some((AttributeValue::Text(_), _)) => {
            let (docs, body) = (doc(&[described]), matched(quote!(None)));
            quote!(#docs pub const fn #name(&self) -> Option<&'static str> { #body })
        }
        Some((AttributeValue::Texts(_), _)) => {
            let (docs, body) = (doc(&[described]), matched(quote!(&[])));
            quote!(#docs pub const fn #name(&self) -> &'static [&'static str] { #body })
        }
        Some((AttributeValue::Schema(_), _)) => {
            let visits = "Calls the visitor with the type of the schema, if there is one.".to_owned();
            let (docs, body) = (doc(&[described, visits]), matched(quote!(None)));
            quote!(#docs pub fn #name<V: SchemaVisitor>(&self, visitor: V) -> Option<V::Output> { #body })
        }
    }
}

fn expression(value: &AttributeValue) -> TokenStream {
    match value {
        AttributeValue::True => quote!(true),
        AttributeValue::Text(text) => quote!(Some(#text)),
        AttributeValue::Texts(texts) => quote!(&[#(#texts),*]),
        AttributeValue::Schema(name) => {
            let name = format_ident!("{}", name);
            quote!(Some(visitor.visit::<#name>()))
        }
    }
}
