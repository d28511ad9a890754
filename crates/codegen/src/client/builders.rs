//! Fields of calls, and their types, from progenitor's builders.
//!
//! Named seams, each of which fails if it no longer finds its subject: the module of builders, a field and a setter for
//! each parameter and for the body, and the `Result` and the `Option` around a field's type. Builders are written by
//! `call`: progenitor lets a call be sent without required values, and converts a value where it is set.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{GenericArgument, ImplItem, Item, PathArguments, parse_quote};

use super::field::Field;
use super::internal::internal;
use crate::Error;
use crate::document::Operation;
use crate::rust::{builder_name, rust_type};
use crate::short_paths::ShortPaths;

/// Progenitor's name of the field and the setter for the body.
const BODY: &str = "body";

/// The builder of each operation: the types of its fields, and the names of its setters.
pub(super) struct Builders {
    builders: BTreeMap<String, Builder>,
}

#[derive(Default)]
struct Builder {
    fields: BTreeMap<String, syn::Type>,
    setters: Vec<String>,
}

impl Builders {
    /// Takes the builders out of a generated client.
    pub(super) fn from_progenitor(tokens: TokenStream) -> Result<Self, Error> {
        let file: syn::File = syn::parse2(tokens).map_err(internal)?;
        let builder = file
            .items
            .into_iter()
            .find_map(|item| match item {
                Item::Mod(module) if module.ident == "builder" => module.content,
                _ => None,
            })
            .ok_or_else(|| internal("progenitor wrote no `mod builder`"))?;
        let mut builders: BTreeMap<String, Builder> = BTreeMap::new();
        for item in builder.1 {
            match item {
                Item::Use(_) => {}
                Item::Struct(item) => {
                    let fields = item.fields.into_iter().skip(1);
                    let named = fields.filter_map(|field| Some((field.ident?.to_string(), field.ty)));
                    builders.entry(item.ident.to_string()).or_default().fields = named.collect();
                }
                Item::Impl(item) => {
                    let setters = item.items.into_iter().filter_map(|member| match member {
                        ImplItem::Fn(function) => Some(function.sig.ident.to_string()),
                        _ => None,
                    });
                    let of = builders.entry(type_name(&item.self_ty)).or_default();
                    of.setters.extend(setters);
                }
                other => {
                    let what = other.to_token_stream();
                    return Err(internal(format!("unexpected item in `mod builder`: {what}")));
                }
            }
        }
        Ok(Self { builders })
    }

    /// The fields of an operation's call, in the document's order, the body last.
    pub(super) fn take<'o>(&mut self, operation: &'o Operation) -> Result<Vec<Field<'o>>, Error> {
        let name = builder_name(operation).to_string();
        let mut builder = self
            .builders
            .remove(&name)
            .ok_or_else(|| internal(format!("progenitor wrote no `{name}`")))?;
        let mut fields = Vec::new();
        for parameter in &operation.parameters {
            let field = parameter.field();
            let ty = builder.field(&field, operation)?;
            let ty = match parameter.structure {
                Some(_) => rust_type(&parameter.ty, &quote!(models::)),
                None => content(ty, parameter.required)?,
            };
            fields.push(Field::parameter(parameter, ty));
        }
        if let Some(body) = &operation.request {
            // Its type is replaced: progenitor has none for streams.
            builder.field(BODY, operation)?;
            fields.push(Field::body(body));
        }
        match builder.fields.into_keys().next() {
            None => Ok(fields),
            Some(field) => Err(internal(format!(
                "the field `{field}` of `{}` is not a parameter",
                operation.id
            ))),
        }
    }

    /// Fails if progenitor wrote builders that belong to no operation.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.builders.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(internal(format!("the builder `{name}` belongs to no operation"))),
        }
    }
}

impl Builder {
    /// The type of a field that has a setter.
    fn field(&mut self, name: &str, operation: &Operation) -> Result<syn::Type, Error> {
        let ty = self.fields.remove(name);
        ty.filter(|_| self.setters.iter().any(|setter| setter == name))
            .ok_or_else(|| internal(format!("`{}` has no field or no setter `{name}`", operation.id)))
    }
}

/// The type of a value: without `Result`, and without `Option` if it is optional.
fn content(ty: syn::Type, required: bool) -> Result<TokenStream, Error> {
    let value = generic(&ty, "Result")?;
    let value = if required { value } else { generic(&value, "Option")? };
    let mut field: syn::Type = parse_quote!(#value);
    ShortPaths.visit_type_mut(&mut field);
    Ok(field.into_token_stream())
}

/// The first argument of the generic type `name`.
fn generic(ty: &syn::Type, name: &str) -> Result<syn::Type, Error> {
    let last = match ty {
        syn::Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    match last.map(|last| (&last.ident, &last.arguments)) {
        Some((ident, PathArguments::AngleBracketed(arguments))) if ident == name => match arguments.args.first() {
            Some(GenericArgument::Type(argument)) => Ok(argument.clone()),
            _ => Err(internal(format!("`{name}` has no argument"))),
        },
        _ => Err(internal(format!("a field is no `{name}`: {}", ty.to_token_stream()))),
    }
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
