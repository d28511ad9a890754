//! Named changes to what progenitor writes. Each fails if it no longer finds what it is about.
//!
//! Kept: the builder structs, their setters, and the query and headers of each request. Replaced: what is said of a
//! parameter that is missing or does not convert, and most of `send`, which has a file of its own. Left out: types,
//! which are the models', and the client struct, which is ours.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Ident, ImplItem, ImplItemFn, Item, parse_quote};

use super::internal;
use super::send::send;
use crate::Error;
use crate::debug::debug;
use crate::document::{Operation, Parameter};
use crate::output::doc;
use crate::rust::builder_name;
use crate::short_paths::ShortPaths;

/// The builder struct of each operation, with its implementation.
pub(super) struct Builders {
    items: BTreeMap<String, Vec<Item>>,
}

impl Builders {
    /// Takes the builders out of a generated client.
    pub(super) fn from_progenitor(tokens: TokenStream) -> Result<Self, Error> {
        let file: syn::File = syn::parse2(tokens).map_err(internal)?;
        let mut items: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        let builder = file
            .items
            .into_iter()
            .find_map(|item| match item {
                Item::Mod(module) if module.ident == "builder" => module.content,
                _ => None,
            })
            .ok_or_else(|| internal("progenitor wrote no `mod builder`"))?;
        for item in builder.1 {
            let name = match &item {
                Item::Use(_) => continue,
                Item::Struct(item) => item.ident.to_string(),
                Item::Impl(item) => type_name(&item.self_ty),
                other => {
                    return Err(internal(format!(
                        "unforeseen in `mod builder`: {}",
                        other.to_token_stream()
                    )));
                }
            };
            items.entry(name).or_default().push(item);
        }
        Ok(Self { items })
    }

    /// The trimmed builder of an operation.
    pub(super) fn take(&mut self, operation: &Operation) -> Result<TokenStream, Error> {
        let name = builder_name(operation).to_string();
        let items = self
            .items
            .remove(&name)
            .ok_or_else(|| internal(format!("progenitor wrote no `{name}`")))?;
        let (mut out, mut setters) = (TokenStream::new(), Vec::new());
        for item in items {
            match item {
                Item::Struct(mut item) => {
                    let docs = doc(&[format!("A call of [`Client::{}`], before it is sent.", operation.id)]);
                    let fields: Vec<_> = item.fields.iter().filter_map(|field| field.ident.clone()).collect();
                    let shown: Vec<_> = fields
                        .iter()
                        .map(|field| (field.clone(), parameter(operation, field).is_some_and(|p| p.sensitive)))
                        .collect();
                    setters = fields;
                    let (derive_debug, debug) =
                        debug(&item.ident, Some(quote!(<'_>)), &shown, &quote!(format_args!("..")));
                    item.attrs = vec![
                        parse_quote!(#[derive(Clone #derive_debug)]),
                        parse_quote!(#[must_use = "a call does nothing until it is sent"]),
                    ];
                    ShortPaths.visit_item_struct_mut(&mut item);
                    out.extend(quote!(#docs #item #debug));
                }
                Item::Impl(mut item) => {
                    for member in &mut item.items {
                        if let ImplItem::Fn(function) = member {
                            trim(function, &setters, operation)?;
                        }
                    }
                    ShortPaths.visit_item_impl_mut(&mut item);
                    out.extend(item.into_token_stream());
                }
                _ => {}
            }
        }
        Ok(out)
    }

    /// Fails if progenitor wrote builders that no operation took.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.items.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(internal(format!("the builder `{name}` belongs to no operation"))),
        }
    }
}

/// The parameter of a field, or of its setter. The field `client` has none.
fn parameter<'o>(operation: &'o Operation, field: &Ident) -> Option<&'o Parameter> {
    operation
        .parameters
        .iter()
        .find(|parameter| *field == parameter.field())
}

fn trim(function: &mut ImplItemFn, fields: &[Ident], operation: &Operation) -> Result<(), Error> {
    match function.sig.ident.to_string().as_str() {
        "new" => {
            new(function, fields, operation);
            Ok(())
        }
        "send" => send(function, operation),
        _ => setter(function, operation),
    }
}

/// Builders begin at the client's methods. What is missing is told by the parameter's name.
fn new(function: &mut ImplItemFn, fields: &[Ident], operation: &Operation) {
    let values = fields.iter().map(|field| match parameter(operation, field) {
        None => quote!(#field),
        Some(Parameter {
            required: true, name, ..
        }) => quote!(#field: missing(#name)),
        Some(_) => quote!(#field: Ok(None)),
    });
    function.vis = parse_quote!(pub(crate));
    function.block = parse_quote!({ Self { #(#values),* } });
}

/// A setter keeps its signature; a value that does not convert is told by the parameter's name.
fn setter(function: &mut ImplItemFn, operation: &Operation) -> Result<(), Error> {
    let ident = function.sig.ident.clone();
    let parameter = parameter(operation, &ident)
        .ok_or_else(|| internal(format!("the setter `{ident}` of `{}` sets no parameter", operation.id)))?;
    let docs = doc(&parameter.paragraphs());
    let deprecated = parameter.docs.deprecated_attribute();
    let attributes = quote!(#docs #deprecated);
    function.attrs = syn::parse::Parser::parse2(syn::Attribute::parse_outer, attributes).map_err(internal)?;
    let name = &parameter.name;
    let convert = quote!(argument(#name, value.try_into()));
    function.block = if parameter.required {
        parse_quote!({ self.#ident = #convert; self })
    } else {
        parse_quote!({ self.#ident = #convert.map(Some); self })
    };
    Ok(())
}

fn type_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string())
            .unwrap_or_default(),
        _ => String::new(),
    }
}
