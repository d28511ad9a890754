//! Named changes to progenitor's output. Each fails if it no longer finds its subject.
//!
//! Kept: the builder structs and their setters. Replaced: the client that they hold, which becomes the common part of
//! all calls; the errors of parameters that are missing or do not convert; and names that our own methods have.
//! Dropped: `send`, which has a file of its own, the types, which are in the models, and the client struct, which is ours.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{Ident, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, parse_quote};

use super::internal::internal;
use crate::Error;
use crate::debug::debug;
use crate::document::{Body, Operation, Parameter};
use crate::identifier::field_name;
use crate::output::doc;
use crate::rust::{builder_name, constant_name, upload_type};
use crate::short_paths::ShortPaths;

/// Progenitor's name of the field and the setter for the body.
const BODY: &str = "body";

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
                        "unexpected item in `mod builder`: {}",
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
                    setters = fields(&mut item, operation)?;
                    let shown: Vec<_> = setters
                        .iter()
                        .map(|field| (field.clone(), named(operation, field).is_some_and(|p| p.sensitive)))
                        .collect();
                    let (derive_debug, debug) =
                        debug(&item.ident, Some(quote!(<'_>)), &shown, &quote!(format_args!("..")));
                    item.attrs = derived(operation, &derive_debug);
                    item.attrs
                        .push(parse_quote!(#[must_use = "a call does nothing until it is sent"]));
                    ShortPaths.visit_item_struct_mut(&mut item);
                    out.extend(quote!(#docs #item #debug));
                }
                Item::Impl(mut item) => {
                    trim(&mut item, &setters, operation)?;
                    ShortPaths.visit_item_impl_mut(&mut item);
                    out.extend(item.into_token_stream());
                }
                _ => {}
            }
        }
        Ok(out)
    }

    /// Fails if progenitor wrote builders that belong to no operation.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.items.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(internal(format!("the builder `{name}` belongs to no operation"))),
        }
    }
}

/// What a builder derives. A stream is sent once.
fn derived(operation: &Operation, debug: &TokenStream) -> Vec<syn::Attribute> {
    let stream = operation.request.as_ref().is_some_and(|body| body.content.is_stream());
    match (stream, debug.is_empty()) {
        (false, _) => vec![parse_quote!(#[derive(Clone #debug)])],
        (true, false) => vec![parse_quote!(#[derive(Debug)])],
        (true, true) => Vec::new(),
    }
}

/// The parameter that progenitor has a field or a setter for. The field `client` has none.
fn parameter<'o>(operation: &'o Operation, field: &Ident) -> Option<&'o Parameter> {
    operation
        .parameters
        .iter()
        .find(|parameter| *field == field_name(&parameter.name))
}

/// The parameter that our own field is for. The field `call` has none.
fn named<'o>(operation: &'o Operation, field: &Ident) -> Option<&'o Parameter> {
    operation
        .parameters
        .iter()
        .find(|parameter| *field == parameter.setter())
}

/// Whether a field or a setter is for the body of the request.
fn is_body(operation: &Operation, ident: &Ident) -> bool {
    operation.request.is_some() && ident == BODY
}

/// The type of the field for the body.
fn body_type(operation: &Operation) -> syn::Type {
    let body = operation.request.as_ref();
    let ty = body.map(|body| upload_type(&body.content));
    if body.is_some_and(|body| body.required) {
        parse_quote!(#ty)
    } else {
        parse_quote!(Option<#ty>)
    }
}

/// The names of our fields: `call`, which replaces the client, and one for each parameter.
fn fields(item: &mut ItemStruct, operation: &Operation) -> Result<Vec<Ident>, Error> {
    let mut names = Vec::new();
    // The first one is the client. Its name has a leading underscore where a parameter has the same.
    for (index, field) in item.fields.iter_mut().enumerate() {
        let ident = field.ident.clone().ok_or_else(|| internal("a field without a name"))?;
        let name = match parameter(operation, &ident) {
            None if index > 0 && is_body(operation, &ident) => {
                field.ty = body_type(operation);
                ident
            }
            Some(parameter) if index > 0 => format_ident!("{}", parameter.setter()),
            _ if index == 0 && (ident == "client" || ident == "_client") => {
                field.ty = parse_quote!(Call<'a>);
                format_ident!("call")
            }
            _ => {
                return Err(internal(format!(
                    "the field `{ident}` of `{}` is not a parameter",
                    operation.id
                )));
            }
        };
        field.ident = Some(name.clone());
        names.push(name);
    }
    Ok(names)
}

/// Keeps `new`, which begins a call, and the setters.
fn trim(item: &mut ItemImpl, fields: &[Ident], operation: &Operation) -> Result<(), Error> {
    let mut kept = Vec::new();
    let mut found = (false, false);
    for member in std::mem::take(&mut item.items) {
        let ImplItem::Fn(mut function) = member else {
            return Err(internal(format!("unexpected item in `impl {}`", operation.id)));
        };
        let takes_self = function.sig.receiver().is_some();
        match (function.sig.ident.to_string().as_str(), function.sig.asyncness) {
            ("new", _) if !takes_self => {
                found.0 = true;
                new(&mut function, fields, operation);
            }
            ("send", Some(_)) => {
                found.1 = true;
                continue;
            }
            // An argument of `new`.
            (BODY, _) if operation.request.as_ref().is_some_and(|body| body.required) => continue,
            (BODY, _) if operation.request.is_some() => body_setter(&mut function, operation)?,
            _ => setter(&mut function, operation)?,
        }
        kept.push(ImplItem::Fn(function));
    }
    item.items = kept;
    if found != (true, true) {
        return Err(internal(format!("`{}` has no `new` or no `send`", operation.id)));
    }
    Ok(())
}

/// Builders are created by the client's methods. Errors name the parameter.
fn new(function: &mut ImplItemFn, fields: &[Ident], operation: &Operation) {
    let constant = constant_name(operation);
    let body = operation.request.as_ref();
    let values = fields.iter().map(|field| match named(operation, field) {
        None if is_body(operation, field) => match body {
            Some(body) if body.required => quote!(body),
            _ => quote!(body: None),
        },
        None => quote!(#field: Call::new(client, &operations::#constant)),
        Some(parameter) if parameter.required => {
            let (name, setter) = (&parameter.name, parameter.setter());
            let setter = setter.trim_start_matches("r#");
            quote!(#field: missing(#name, #setter))
        }
        Some(_) => quote!(#field: Ok(None)),
    });
    function.vis = parse_quote!(pub(crate));
    function.sig.inputs = parse_quote!(client: &'a Client);
    if body.is_some_and(|body| body.required) {
        let ty = body_type(operation);
        function.sig.inputs.push(parse_quote!(body: #ty));
    }
    function.block = parse_quote!({ Self { #(#values),* } });
}

/// The setter of an optional body, which takes a value of the models.
fn body_setter(function: &mut ImplItemFn, operation: &Operation) -> Result<(), Error> {
    let body = operation.request.as_ref();
    let ty = body.map(|body| upload_type(&body.content));
    let docs = doc(&body.map(Body::paragraphs).unwrap_or_default());
    let (argument, value) = match body.is_some_and(|body| body.content.is_stream()) {
        true => (quote!(impl Into<#ty>), quote!(body.into())),
        false => (quote!(#ty), quote!(body)),
    };
    *function = syn::parse2(quote! {
        #docs
        pub fn body(mut self, body: #argument) -> Self { self.body = Some(#value); self }
    })
    .map_err(internal)?;
    Ok(())
}

/// A setter keeps its signature; the error of a value that does not convert names the parameter.
fn setter(function: &mut ImplItemFn, operation: &Operation) -> Result<(), Error> {
    let ident = function.sig.ident.clone();
    let parameter = parameter(operation, &ident)
        .ok_or_else(|| internal(format!("the setter `{ident}` of `{}` sets no parameter", operation.id)))?;
    let docs = doc(&parameter.paragraphs());
    let deprecated = parameter.docs.deprecated_attribute();
    let attributes = quote!(#docs #deprecated);
    function.attrs = syn::parse::Parser::parse2(syn::Attribute::parse_outer, attributes).map_err(internal)?;
    let name = &parameter.name;
    let ident = format_ident!("{}", parameter.setter());
    function.sig.ident = ident.clone();
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
