//! What an operation is asked with: a struct, and how it is read from a request.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use super::{input_name, rust_type};
use crate::document::{Location, Operation, Parameter, Type};
use crate::output::doc;

pub(super) fn emit(operation: &Operation) -> TokenStream {
    if operation.parameters.is_empty() {
        return TokenStream::new();
    }
    let name = input_name(operation);
    let docs = doc(&[format!("What [`Api::{}`] is asked with.", operation.id)]);
    let names: Vec<_> = operation.parameters.iter().map(field_name).collect();
    let fields = operation.parameters.iter().map(field);
    let reads = operation.parameters.iter().map(read);
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct #name { #(#fields),* }

        impl #name {
            /// Reads all parameters before it gives up, so that every violation is noted.
            fn read(request: &mut Input) -> Option<Self> {
                #(#reads)*
                Some(Self { #(#names: #names?),* })
            }
        }
    }
}

fn field_name(parameter: &Parameter) -> syn::Ident {
    format_ident!("{}", parameter.field())
}

fn optional(parameter: &Parameter) -> bool {
    !parameter.required && parameter.default.is_none()
}

fn field(parameter: &Parameter) -> TokenStream {
    let docs = doc(&parameter.paragraphs());
    let name = field_name(parameter);
    let ty = rust_type(&parameter.ty);
    let ty = if optional(parameter) { quote!(Option<#ty>) } else { ty };
    let deprecated = parameter.docs.deprecated_attribute();
    quote!(#docs #deprecated pub #name: #ty)
}

fn read(parameter: &Parameter) -> TokenStream {
    let local = field_name(parameter);
    let name = &parameter.name;
    let location = match parameter.location {
        Location::Path => format_ident!("path"),
        Location::Query => format_ident!("query"),
        Location::Header => format_ident!("header"),
    };
    let inner = match &parameter.ty {
        Type::Nullable(inner) => inner,
        other => other,
    };
    let parse = match inner {
        Type::String { min, max } => {
            let (min, max) = (bound(min.map(|n| n as i64)), bound(max.map(|n| n as i64)));
            quote!(text(#min, #max))
        }
        Type::Integer { min, max, .. } => {
            let (min, max) = (bound(*min), bound(*max));
            quote!(integer(#min, #max))
        }
        Type::Ref(_) => quote!(choice()),
        _ => quote!(parse()),
    };
    let end = match &parameter.default {
        Some(default) => {
            let default = literal(default);
            quote!(or(#default))
        }
        None if parameter.required => quote!(required()),
        None => quote!(optional()),
    };
    quote!(let #local = request.#location(#name).#parse.#end;)
}

fn bound(bound: Option<i64>) -> TokenStream {
    match bound {
        Some(bound) => {
            let bound = proc_macro2::Literal::i64_unsuffixed(bound);
            quote!(Some(#bound))
        }
        None => quote!(None),
    }
}

fn literal(value: &Value) -> TokenStream {
    match value {
        Value::Bool(value) => quote!(#value),
        Value::Number(number) => number.to_string().parse().unwrap_or_default(),
        other => {
            let text = other.as_str().unwrap_or_default();
            quote!(#text.into())
        }
    }
}
