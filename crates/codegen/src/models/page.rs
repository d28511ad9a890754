//! `Page` implementations of list envelopes: the items and the position of the next page.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Document, PaginationStyle, PathStep, Schema, SchemaKind};

pub(super) fn emit(document: &Document, schema: &Schema) -> TokenStream {
    let pagination = document
        .operations
        .iter()
        .filter_map(|operation| operation.pagination.as_ref())
        .find(|pagination| pagination.page == schema.name);
    let Some(pagination) = pagination else {
        return TokenStream::new();
    };
    let page = format_ident!("{}", pagination.page);
    let item = format_ident!("{}", pagination.item);
    let name = &pagination.items;
    let items = pagination.path.first().map_or(name, |step| &step.property);
    let items = format_ident!("{}", field(schema, items));
    let all_items = all_items(document, &pagination.path);
    let [offset, total, page_number, size, next_cursor] =
        ["offset", "total", "page", "size", "next_cursor"].map(|name| format_ident!("{}", field(schema, name)));
    let (position, next) = match pagination.style {
        PaginationStyle::Offset => (
            quote!(i64),
            quote!(next_offset(self.#offset, self.#items.len(), self.#total)),
        ),
        PaginationStyle::Page => (
            quote!(i64),
            quote!(next_page(self.#page_number, self.#size, self.#items.len(), self.#total)),
        ),
        PaginationStyle::Cursor => (quote!(String), quote!(next_cursor(self.#next_cursor.as_deref()))),
    };
    quote! {
        impl Page for #page {
            type Item = #item;
            type Position = #position;
            const ITEMS: &'static str = #name;
            fn into_items(self) -> Vec<#item> { #all_items }
            fn next_position(&self) -> Option<#position> { #next }
        }
    }
}

/// The items at the end of a path.
fn all_items(document: &Document, path: &[PathStep]) -> TokenStream {
    let field = |step: &PathStep| {
        let schema = document.schemas.iter().find(|schema| schema.name == step.schema);
        let name = schema.map_or_else(|| step.property.clone(), |schema| field(schema, &step.property));
        format_ident!("{name}")
    };
    let mut items = TokenStream::new();
    for (index, step) in path.iter().enumerate() {
        let name = field(step);
        items = match (index, step.of_map) {
            (0, false) if path.len() == 1 => return quote!(self.#name),
            (0, false) => quote!(self.#name.into_iter()),
            (0, true) => quote!(self.#name.into_values().flatten()),
            (_, false) => quote!(#items.flat_map(|part| part.#name)),
            (_, true) => quote!(#items.flat_map(|part| part.#name.into_values().flatten())),
        };
    }
    quote!(#items.collect())
}

/// The field of a property.
fn field(schema: &Schema, name: &str) -> String {
    let SchemaKind::Object { properties, .. } = &schema.kind else {
        return name.to_owned();
    };
    let property = properties.iter().find(|property| property.name == name);
    property.map_or_else(|| name.to_owned(), |property| property.field())
}
