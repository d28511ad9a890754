//! Constants: the metadata of each operation.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Document, Operation, SecurityScheme};
use crate::output::{GeneratedFile, doc};
use crate::rust::{constant_name, scheme_type};
use crate::rustdoc::code_span;

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let variants = document.security.iter().map(|scheme| {
        let name = scheme_type(&scheme.name);
        let docs = doc(&[format!("Header {}.", code_span(&scheme.header)), scheme.paragraph()]);
        quote!(#docs #name)
    });
    let headers = document.security.iter().map(headers);
    let constants = document.operations.iter().map(constant);
    let all = document.operations.iter().map(constant_name);
    let count = Literal::usize_unsuffixed(document.operations.len());
    GeneratedFile::new(
        path,
        "The metadata of each operation.",
        quote! {
            use crate::codegen::{Method, Operation};

            /// A credential that operations accept.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Credential { #(#variants),* }

            impl Credential {
                /// The headers that carry it, in lower case, the authoritative one first.
                pub const fn headers(self) -> &'static [&'static str] {
                    match self { #(#headers),* }
                }
            }

            #(#constants)*

            /// All operations, in the document's order.
            pub const ALL: [&Operation; #count] = [#(&#all),*];
        },
    )
}

fn headers(scheme: &SecurityScheme) -> TokenStream {
    let name = scheme_type(&scheme.name);
    let headers = std::iter::once(&scheme.header)
        .chain(&scheme.aliases)
        .map(|header| header.to_lowercase());
    quote!(Self::#name => &[#(#headers),*])
}

fn constant(operation: &Operation) -> TokenStream {
    let docs = doc(&[operation.endpoint_span()]);
    let method = format_ident!("{}", operation.method.name());
    let (name, id, path) = (constant_name(operation), &operation.id, &operation.path);
    let alternatives = operation.security.iter().map(|alternative| {
        let schemes = alternative.iter().map(|scheme| scheme_type(scheme));
        quote!(&[#(Credential::#schemes),*])
    });
    quote! {
        #docs
        pub const #name: Operation = Operation {
            id: #id,
            method: Method::#method,
            path: #path,
            security: &[#(#alternatives),*],
        };
    }
}
