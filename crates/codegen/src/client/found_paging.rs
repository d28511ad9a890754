//! Calls whose pagination the tolerant profile found.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{NextPosition, Operation, Paging, ParamLocation, Parameter, PositionType, Step};
use crate::rust::{builder_name, content_type, field_type, response_type};

/// Emits the positions of a call, and the items of its pages.
pub(super) fn paged_call(operation: &Operation) -> Option<TokenStream> {
    let paging = operation.paging.as_ref()?;
    let parameter = operation
        .parameters
        .iter()
        .find(|parameter| parameter.location == ParamLocation::Query && parameter.name == paging.parameter)?;
    let (builder, page) = (builder_name(operation), response_type(operation, content_type));
    let item = field_type(&paging.item, &quote!(models::));
    let position = position_type(paging.position);
    let path = paging.items.iter().map(|step| step.property.as_str());
    let path = path.collect::<Vec<_>>().join(".");
    let field = format_ident!("{}", parameter.setter());
    let next = next(paging, parameter);
    let next = match &paging.more {
        Some(more) => {
            let Read { value, optional } = Read::of(more, Leaf::Plain);
            let is_last = match optional {
                true => quote!(#value == Some(false)),
                false => quote!(!#value),
            };
            quote! {
                if #is_last {
                    return Ok(None);
                }
                #next
            }
        }
        None => next,
    };
    let items = taken(quote!(page), &paging.items);
    let fingerprint = matches!(paging.next, NextPosition::Offset { .. } | NextPosition::Page { .. }).then(|| {
        quote! {
            fn fingerprint(page: &Self::Page) -> Option<u64> {
                positions::fingerprint(page)
            }
        }
    });
    Some(quote! {
        impl<'a> PagedCall<'a> for #builder<'a> {
            type Page = #page;
            type Item = #item;
            type Position = #position;
            const ITEMS: &'static str = #path;

            fn at(mut self, position: #position) -> Self {
                self.#field = Some(position);
                self
            }

            fn fetch(self) -> Fetch<'a, Self::Page> {
                Box::pin(self.send())
            }

            fn next(&self, page: &Response<Self::Page>) -> Result<Option<#position>, Error> {
                #next
            }

            fn into_items(page: Self::Page) -> Vec<Self::Item> {
                #items
            }

            #fingerprint
        }
    })
}

fn position_type(position: PositionType) -> TokenStream {
    match position {
        PositionType::Text => quote!(String),
        PositionType::Integer(width) => {
            let name = format_ident!("{}", width.rust_name());
            quote!(#name)
        }
    }
}

/// The position after a page, as a `Result`.
fn next(paging: &Paging, parameter: &Parameter) -> TokenStream {
    let name = &parameter.name;
    match &paging.next {
        NextPosition::Cursor(way) => {
            let cursor = Read::of(way, Leaf::Text).option();
            quote!(Ok(positions::cursor(#cursor)))
        }
        NextPosition::Url(way) => {
            let url = Read::of(way, Leaf::Text).option();
            quote!(positions::in_url(#url, #name))
        }
        NextPosition::Link => quote!(positions::in_link(page.headers(), #name)),
        NextPosition::Number(way) => {
            let number = Read::of(way, Leaf::Number).option();
            quote!(positions::number(#number))
        }
        NextPosition::LastItem(step) => {
            let id = format_ident!("{}", step.field);
            let items = Read::of(&paging.items, Leaf::List);
            let last = match (items.optional, items.value) {
                (true, items) => quote!(#items.and_then(|items| items.last())),
                (false, items) => quote!(#items.last()),
            };
            quote!(Ok(positions::cursor(#last.map(|item| item.#id.as_str()))))
        }
        NextPosition::Offset { first, total } => counted(quote!(offset), *first, total.as_deref(), paging, parameter),
        NextPosition::Page { first, last } => counted(quote!(page), *first, last.as_deref(), paging, parameter),
    }
}

/// The position after one that is counted.
fn counted(
    function: TokenStream,
    first: i64,
    end: Option<&[Step]>,
    paging: &Paging,
    parameter: &Parameter,
) -> TokenStream {
    let field = format_ident!("{}", parameter.setter());
    let here = match paging.position {
        PositionType::Integer(width) if width.bits == 64 => quote!(self.#field.unwrap_or(#first)),
        _ => quote!(self.#field.map_or(#first, i64::from)),
    };
    let items = Read::of(&paging.items, Leaf::List);
    let items = match (items.optional, items.value) {
        (true, items) => quote!(#items.map_or(0, Vec::len)),
        (false, items) => quote!(#items.len()),
    };
    let end = end.map_or_else(|| quote!(None), |way| Read::of(way, Leaf::Number).option());
    quote!(positions::#function(#here, #items, #end))
}

/// The form of a value at the end of a way.
#[derive(Clone, Copy)]
enum Leaf {
    /// `&str`
    Text,
    /// `i64`
    Number,
    /// `&Vec<T>` in an `Option`, or else the list itself.
    List,
    /// The field itself.
    Plain,
}

/// An expression for a value in a page.
struct Read {
    value: TokenStream,
    /// True if it is an `Option`.
    optional: bool,
}

impl Read {
    fn of(way: &[Step], leaf: Leaf) -> Self {
        Self::within(&quote!(page), way, leaf)
    }

    fn within(base: &TokenStream, way: &[Step], leaf: Leaf) -> Self {
        let Some((step, rest)) = way.split_first() else {
            let value = base.clone();
            return Self { value, optional: false };
        };
        let field = format_ident!("{}", step.field);
        let field = quote!(#base.#field);
        if !step.optional && !rest.is_empty() {
            return Self::within(&field, rest, leaf);
        }
        if !step.optional {
            let value = match leaf {
                Leaf::Text => quote!(#field.as_str()),
                Leaf::Number => quote!(i64::from(#field)),
                Leaf::List | Leaf::Plain => field,
            };
            return Self { value, optional: false };
        }
        let value = if rest.is_empty() {
            match leaf {
                Leaf::Text => quote!(#field.as_deref()),
                Leaf::Number => quote!(#field.map(i64::from)),
                Leaf::List => quote!(#field.as_ref()),
                Leaf::Plain => field,
            }
        } else {
            let inner = Self::within(&quote!(value), rest, leaf);
            // What a closure returns of a list is a reference.
            let value = match (inner.value, inner.optional, leaf) {
                (value, false, Leaf::List) => quote!(&#value),
                (value, ..) => value,
            };
            match inner.optional {
                true => quote!(#field.as_ref().and_then(|value| #value)),
                false => quote!(#field.as_ref().map(|value| #value)),
            }
        };
        Self { value, optional: true }
    }

    /// The expression as an `Option`.
    fn option(self) -> TokenStream {
        let value = self.value;
        match self.optional {
            true => value,
            false => quote!(Some(#value)),
        }
    }
}

/// The items of a page that is taken apart.
fn taken(base: TokenStream, way: &[Step]) -> TokenStream {
    let Some((step, rest)) = way.split_first() else {
        return base;
    };
    let field = format_ident!("{}", step.field);
    let field = quote!(#base.#field);
    match (step.optional, rest.is_empty()) {
        (false, _) => taken(field, rest),
        (true, true) => quote!(#field.unwrap_or_default()),
        (true, false) => {
            let inner = taken(quote!(value), rest);
            quote!(#field.map(|value| #inner).unwrap_or_default())
        }
    }
}
