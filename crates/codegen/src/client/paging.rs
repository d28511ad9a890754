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
    let item = format_ident!("{}", pagination.item);
    let position = match pagination.style {
        PaginationStyle::Offset => format_ident!("offset"),
        PaginationStyle::Page => format_ident!("page"),
        PaginationStyle::Cursor => format_ident!("next_cursor"),
    };
    quote! {
        impl<'a> #builder<'a> {
            /// The items of this page and of all pages after it, one by one.
            pub fn stream(self) -> impl Stream<Item = Result<models::#item, Error>> + Send + use<'a> {
                paging::items(self.pages())
            }

            /// This page and all pages after it.
            pub fn pages(self) -> impl Stream<Item = Result<models::#page, Error>> + Send + use<'a> {
                paging::pages(self, Self::#position, Self::send)
            }
        }
    }
}
