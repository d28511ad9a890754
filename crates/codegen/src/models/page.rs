//! `Page` implementations of list envelopes: the items and the position of the next page.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Document, PaginationStyle, Schema, SchemaKind};

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
    let items = format_ident!("{}", field(schema, &pagination.items));
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
            fn items(&self) -> &[#item] { &self.#items }
            fn into_items(self) -> Vec<#item> { self.#items }
            fn next_position(&self) -> Option<#position> { #next }
        }
    }
}

/// The field of a property.
fn field(schema: &Schema, name: &str) -> String {
    let SchemaKind::Object { properties, .. } = &schema.kind else {
        return name.to_owned();
    };
    let property = properties.iter().find(|property| property.name == name);
    property.map_or_else(|| name.to_owned(), |property| property.field())
}
