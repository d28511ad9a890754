//! Constructors of the structs that clients send: `new` takes the required members, `Default` makes one without any.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use crate::output::doc;

/// A field of a struct, and where a new one has its value from.
pub(super) struct Initial {
    pub(super) ident: syn::Ident,
    pub(super) source: Source,
}

/// The first value of a field.
pub(super) enum Source {
    /// An argument of the constructor.
    Argument(Box<syn::Type>),
    /// A function of the struct.
    Function(syn::Ident),
    /// The only value of the field.
    Value(TokenStream),
    /// The default of its type: none, or empty.
    Default,
}

/// The constructor of a struct, as a trait to derive and as items. Without required members, it is `Default`.
pub(super) fn emit(name: &syn::Ident, fields: &[Initial]) -> (TokenStream, TokenStream) {
    if fields.iter().all(|field| matches!(field.source, Source::Default)) {
        return (quote!(, Default), quote!());
    }
    let values = fields.iter().map(|Initial { ident, source }| match source {
        Source::Argument(ty) if is_string(ty) => quote!(#ident: #ident.into()),
        Source::Argument(_) => quote!(#ident),
        Source::Value(value) => quote!(#ident: #value),
        Source::Function(function) => quote!(#ident: Self::#function()),
        Source::Default => quote!(#ident: Default::default()),
    });
    let arguments: Vec<_> = fields
        .iter()
        .filter_map(|Initial { ident, source }| match source {
            Source::Argument(ty) if is_string(ty) => Some(quote!(#ident: impl Into<String>)),
            Source::Argument(ty) => Some(quote!(#ident: #ty)),
            _ => None,
        })
        .collect();
    if arguments.is_empty() {
        let default = quote! {
            impl Default for #name {
                fn default() -> Self { Self { #(#values),* } }
            }
        };
        return (quote!(), default);
    }
    let docs =
        doc(&["Creates a value from its required members. Others are absent, or have their defaults.".to_owned()]);
    let new = quote! {
        impl #name {
            #docs
            pub fn new(#(#arguments),*) -> Self { Self { #(#values),* } }
        }
    };
    (quote!(), new)
}

/// Members that the document does not name.
pub(super) fn extra() -> Initial {
    Initial {
        ident: format_ident!("extra"),
        source: Source::Default,
    }
}

fn is_string(ty: &syn::Type) -> bool {
    ty.to_token_stream().to_string() == "String"
}
