//! An object of the document as a struct: typify's fields and types, in the document's order, with its documentation.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Field};

use super::constructors::{self, Initial, Source};
use super::readers;
use super::types::{self, Types};
use crate::Error;
use crate::debug::debug;
use crate::document::{Document, Members, Property, Schema};
use crate::output::doc;
use crate::rust::{field_type, rust_type, rust_value};

pub(super) fn emit(
    document: &Document,
    schema: &Schema,
    properties: &[Property],
    members: &Members,
    types: &mut Types,
    is_sent: bool,
) -> Result<TokenStream, Error> {
    let name = format_ident!("{}", schema.name);
    let mut made: HashMap<_, _> = types
        .take(&schema.name)?
        .fields
        .into_iter()
        .map(|field| Made::read(field).map(|made| (made.property.clone(), made)))
        .collect::<Result<_, _>>()?;
    let (mut fields, mut shown, mut initial) = (Vec::new(), Vec::new(), Vec::new());
    for property in properties {
        let mut made = made
            .remove(&types::key(property))
            .ok_or_else(|| Error::internal("models", format!("typify lost `{}.{}`", schema.name, property.name)))?;
        if property.rust_name.is_some() {
            let name = &property.name;
            made.rename = Some(quote!(rename = #name));
        }
        let constant = constant(document, property);
        initial.push(made.initial(property, constant.as_ref()));
        fields.push(made.emit(property, &schema.name, document.lenient, constant.as_ref()));
        shown.push((made.ident, property.sensitive));
    }
    let extra = match members {
        Members::Ignored | Members::Refused => None,
        Members::Kept => Some(quote!(JsonObject)),
        Members::Typed(ty) => {
            let ty = field_type(ty, &quote!());
            Some(quote!(BTreeMap<String, #ty>))
        }
    };
    if let Some(extra) = extra {
        fields.push(quote! {
            /// Members that the document does not name.
            #[serde(flatten)]
            #[cfg_attr(feature = "builder", builder(default))]
            pub extra: #extra
        });
        shown.push((
            format_ident!("extra"),
            properties.iter().any(|property| property.sensitive),
        ));
        initial.push(constructors::extra());
    }
    let (derive_default, constructor) = match is_sent {
        true => constructors::emit(&name, &initial),
        false => Default::default(),
    };
    let defaults = defaults(document, schema, properties);
    let docs = doc(&schema.docs.paragraphs_or(&schema.name));
    let deprecated = schema.docs.deprecated_attribute();
    let (derive_debug, debug) = debug(&name, None, &shown, &quote!(Redacted));
    Ok(quote! {
        #docs
        #[derive(Clone #derive_debug #derive_default, PartialEq, Deserialize, Serialize)]
        #[cfg_attr(feature = "builder", derive(bon::Builder), builder(on(String, into)))]
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #deprecated
        #[non_exhaustive]
        pub struct #name { #(#fields),* }
        #constructor
        #defaults
        #debug
    })
}

/// A field as typify emits it.
struct Made {
    property: String,
    ident: syn::Ident,
    ty: syn::Type,
    /// The name in its `serde` attribute, if it differs.
    rename: Option<TokenStream>,
    /// The other arguments of its `serde` attribute.
    serde: Vec<TokenStream>,
}

impl Made {
    /// A field that always has a value.
    fn emit_defaulted(&self, property: &Property, schema: &str) -> TokenStream {
        let (ident, ty) = (&self.ident, rust_type(&property.ty, &quote!()));
        let docs = doc(&property.paragraphs());
        let deprecated = property.docs.deprecated_attribute();
        let rename = self.rename.iter();
        let (default, read) = default_names(property);
        let struct_name = format_ident!("{schema}");
        let (value, read) = (format!("{schema}::{default}"), format!("{schema}::{read}"));
        quote! {
            #docs
            #deprecated
            #[serde(#(#rename,)* default = #value, deserialize_with = #read)]
            #[cfg_attr(feature = "builder", builder(default = #struct_name::#default()))]
            pub #ident: #ty
        }
    }

    /// A field that distinguishes null from absence; `ty` is the `Option` of a field that does not. `self.serde` has
    /// what is written here again.
    fn emit_distinguished(&self, property: &Property, ty: &syn::Type, is_lenient: bool) -> TokenStream {
        let ident = &self.ident;
        let reader = match is_lenient && readers::has_forms(&property.ty) {
            true => "lenient_present",
            false => "present",
        };
        let mut paragraphs = property.paragraphs();
        paragraphs.push("`None` is absent, `Some(None)` is null.".to_owned());
        let docs = doc(&paragraphs);
        let deprecated = property.docs.deprecated_attribute();
        let rename = self.rename.iter();
        quote! {
            #docs
            #deprecated
            #[serde(#(#rename,)* default, deserialize_with = #reader, skip_serializing_if = "Option::is_none")]
            pub #ident: Option<#ty>
        }
    }

    fn read(field: Field) -> Result<Self, Error> {
        let internal = |error: &dyn std::fmt::Display| Error::internal("models", error);
        let ident = field.ident.ok_or_else(|| internal(&"typify made a tuple struct"))?;
        let mut made = Self {
            property: ident.to_string(),
            ident,
            ty: field.ty,
            rename: None,
            serde: Vec::new(),
        };
        for attribute in field
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("serde"))
        {
            made.read_serde(attribute).map_err(|error| internal(&error))?;
        }
        Ok(made)
    }

    fn read_serde(&mut self, attribute: &Attribute) -> syn::Result<()> {
        attribute.parse_nested_meta(|meta| {
            let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            let value = match meta.value() {
                Ok(value) => Some(value.parse::<syn::LitStr>()?.value()),
                Err(_) => None,
            };
            match (key.as_str(), value) {
                ("rename", Some(name)) => {
                    self.rename = Some(quote!(rename = #name));
                    self.property = name;
                }
                ("default", None) => self.serde.push(quote!(default)),
                // Typify reads null as `None`; here it is the default, like an absent field.
                ("default", Some(_)) => {}
                ("skip_serializing_if", Some(path)) => {
                    let path = short(&syn::parse_str(&path)?);
                    self.serde.push(quote!(skip_serializing_if = #path));
                }
                // Typify rejects an absent required nullable field; readers here read it as null.
                ("deserialize_with", Some(_)) => self.serde.push(quote!(default)),
                (other, _) => return Err(meta.error(format!("unexpected serde attribute `{other}`"))),
            }
            Ok(())
        })
    }

    /// The type of a field without a default in the document.
    fn ty(&self, property: &Property) -> syn::Type {
        match property.boxed {
            true => boxed(&self.ty),
            false => self.ty.clone(),
        }
    }

    /// The first value of the field.
    fn initial(&self, property: &Property, constant: Option<&TokenStream>) -> Initial {
        let source = match (&property.default, constant) {
            (Some(_), _) => Source::Function(default_names(property).0),
            (None, Some(constant)) => Source::Value(constant.clone()),
            (None, None) if property.required && !property.distinguish_null => {
                Source::Argument(Box::new(self.ty(property)))
            }
            _ => Source::Default,
        };
        Initial {
            ident: self.ident.clone(),
            source,
        }
    }

    fn emit(&self, property: &Property, schema: &str, is_lenient: bool, constant: Option<&TokenStream>) -> TokenStream {
        if property.default.is_some() {
            return self.emit_defaulted(property, schema);
        }
        let (ident, ty) = (&self.ident, self.ty(property));
        if property.distinguish_null {
            return self.emit_distinguished(property, &ty, is_lenient);
        }
        let docs = doc(&property.paragraphs());
        let deprecated = property.docs.deprecated_attribute();
        // A custom reader removes the default of an `Option`.
        let has_default = self.serde.iter().any(|argument| argument.to_string() == "default");
        let reader = match property.rounded {
            true => Some("rounded"),
            false => is_lenient.then(|| readers::lenient(&property.ty)).flatten(),
        };
        let reader = reader.map(|reader| match property.required || has_default {
            true => quote!(deserialize_with = #reader),
            false => quote!(default, deserialize_with = #reader),
        });
        let serde: Vec<_> = self.rename.iter().chain(&reader).chain(&self.serde).collect();
        let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
        let builder = if let Some(constant) = constant {
            Some(quote!(default = #constant))
        } else if property.boxed {
            Some(quote!(into))
        } else {
            (!property.required && !is_option(&ty)).then(|| quote!(default))
        };
        let builder = builder.map(|argument| quote!(#[cfg_attr(feature = "builder", builder(#argument))]));
        quote! {
            #docs
            #deprecated
            #serde
            #builder
            pub #ident: #ty
        }
    }
}

/// The only value of a property, as an expression.
fn constant(document: &Document, property: &Property) -> Option<TokenStream> {
    rust_value(property.constant.as_ref()?, &property.ty, &document.schemas, &quote!())
}

/// A function path such as `Option::is_none`, with the names that generated code imports.
fn short(path: &syn::Path) -> String {
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (function, owner) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let owner = if owner == "Map" { "JsonObject".to_owned() } else { owner };
    format!("{owner}::{function}")
}

/// The type in a `Box`, which is in the `Option` of a field that may be absent.
fn boxed(ty: &syn::Type) -> syn::Type {
    if let syn::Type::Path(path) = ty
        && let Some(last) = path.path.segments.last().filter(|last| last.ident == "Option")
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
    {
        let inner = &arguments.args;
        return syn::parse_quote!(Option<Box<#inner>>);
    }
    syn::parse_quote!(Box<#ty>)
}

fn is_option(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

/// The defaults of a struct's fields, and their `serde` functions.
fn defaults(document: &Document, schema: &Schema, properties: &[Property]) -> Option<TokenStream> {
    let name = format_ident!("{}", schema.name);
    let functions: Vec<_> = properties
        .iter()
        .filter_map(|property| {
            let value = rust_value(property.default.as_ref()?, &property.ty, &document.schemas, &quote!())?;
            let (default, read) = default_names(property);
            let ty = rust_type(&property.ty, &quote!());
            let reader = match document.lenient && readers::has_forms(&property.ty) {
                true => quote!(lenient_or),
                false => quote!(null_as),
            };
            Some(quote! {
                fn #default() -> #ty { #value }
                fn #read<'de, D: Deserializer<'de>>(reader: D) -> Result<#ty, D::Error> {
                    #reader(reader, Self::#default)
                }
            })
        })
        .collect();
    (!functions.is_empty()).then(|| quote!(impl #name { #(#functions)* }))
}

fn default_names(property: &Property) -> (syn::Ident, syn::Ident) {
    let name = property.field();
    let name = name.trim_end_matches('_');
    (format_ident!("default_{name}"), format_ident!("read_{name}"))
}
