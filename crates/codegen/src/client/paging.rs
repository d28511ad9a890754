//! Page streams of paged operations.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Operation, PaginationStyle, Parameter};
use crate::rust::builder_name;

/// The methods of a paged call that stream its list.
pub(super) fn methods(operation: &Operation) -> Option<TokenStream> {
    operation.position_parameter().map(|_| {
        quote! {
            /// The items of this page and of all following pages.
            pub fn stream(self) -> Items<'a, Self> {
                Items::new(self)
            }

            /// This page and all following pages.
            pub fn pages(self) -> Pages<'a, Self> {
                Pages::new(self)
            }
        }
    })
}

/// Emits the call of another page.
pub(super) fn paged(operation: &Operation) -> Option<TokenStream> {
    let pagination = operation.pagination.as_ref()?;
    let builder = builder_name(operation);
    let page = format_ident!("{}", pagination.page);
    let (name, position) = match pagination.style {
        PaginationStyle::Offset => ("offset", quote!(i64)),
        PaginationStyle::Page => ("page", quote!(i64)),
        PaginationStyle::Cursor => ("next_cursor", quote!(String)),
    };
    let required = |parameter: &Parameter| parameter.name == name && parameter.is_argument();
    let value = if operation.parameters.iter().any(required) {
        quote!(position)
    } else {
        quote!(Some(position))
    };
    let field = format_ident!("{name}");
    Some(quote! {
        impl<'a> Paged<'a> for #builder<'a> {
            type Page = models::#page;

            fn at(mut self, position: #position) -> Self {
                self.#field = #value;
                self
            }

            fn fetch(self) -> Fetch<'a, Self::Page> {
                Box::pin(self.send())
            }
        }
    })
}
