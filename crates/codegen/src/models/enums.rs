//! Enums of strings, open or closed: a list of variants for one of the models' two macros.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::document::Schema;
use crate::output::doc;

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Unknown values are kept.
    Open,
    /// Unknown values are rejected.
    Closed,
}

pub(super) fn emit(schema: &Schema, values: &[String], kind: Kind) -> TokenStream {
    let name = format_ident!("{}", schema.name);
    let docs = doc(&schema.docs.paragraphs_or(&schema.name));
    let macro_name = match kind {
        Kind::Open => format_ident!("open_enum"),
        Kind::Closed => format_ident!("closed_enum"),
    };
    let variants = values.iter().map(|value| {
        let variant = format_ident!("{}", schema.variant(value));
        quote!(#variant = #value)
    });
    let deprecated = schema.docs.deprecated_attribute();
    quote! {
        #macro_name! {
            #docs
            #deprecated
            pub enum #name { #(#variants,)* }
        }
    }
}

/// An enum of integers.
pub(super) fn emit_integers(schema: &Schema, values: &[i64]) -> TokenStream {
    let name = format_ident!("{}", schema.name);
    let docs = doc(&schema.docs.paragraphs_or(&schema.name));
    let deprecated = schema.docs.deprecated_attribute();
    let variants = values.iter().map(|value| {
        let variant = format_ident!("{}", schema.integer_variant(*value));
        let value = Literal::i64_unsuffixed(*value);
        quote!(#variant = #value)
    });
    quote! {
        integer_enum! {
            #docs
            #deprecated
            pub enum #name { #(#variants,)* }
        }
    }
}
