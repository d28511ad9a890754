//! Page streams, for operations that are paged.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Operation, PaginationStyle};
use crate::rust::builder_name;

pub(super) fn emit(operation: &Operation) -> TokenStream {
    let Some(pagination) = &operation.pagination else {
        return TokenStream::new();
    };
    let builder = builder_name(operation);
    let page = format_ident!("{}", pagination.page);
    let (setter, position) = match pagination.style {
        PaginationStyle::Offset => ("offset", quote!(i64)),
        PaginationStyle::Page => ("page", quote!(i64)),
        PaginationStyle::Cursor => ("next_cursor", quote!(String)),
    };
    let setter = format_ident!("{setter}");
    quote! {
        impl<'a> #builder<'a> {
            /// The items of this page and of all following pages.
            pub fn stream(self) -> Items<'a, Self> {
                Items::new(self)
            }

            /// This page and all following pages.
            pub fn pages(self) -> Pages<'a, Self> {
                Pages::new(self)
            }
        }

        impl<'a> Paged<'a> for #builder<'a> {
            type Page = models::#page;

            fn at(self, position: #position) -> Self {
                self.#setter(position)
            }

            fn fetch(self) -> Fetch<'a, Self::Page> {
                Box::pin(self.send())
            }
        }
    }
}
