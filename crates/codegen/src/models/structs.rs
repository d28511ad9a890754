//! An object of the document as a struct: typify's fields and types, in the document's order, with its words.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Field};

use super::types::Types;
use crate::Error;
use crate::document::{Property, Schema};
use crate::output::doc;

pub(super) fn emit(
    schema: &Schema,
    properties: &[Property],
    open: bool,
    types: &mut Types,
) -> Result<TokenStream, Error> {
    let name = format_ident!("{}", schema.name);
    let mut made: HashMap<_, _> = types
        .take(&schema.name)?
        .fields
        .into_iter()
        .map(|field| Made::read(field).map(|made| (made.property.clone(), made)))
        .collect::<Result<_, _>>()?;
    let (mut fields, mut defaults, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    for property in properties {
        let made = made
            .remove(&property.name)
            .ok_or_else(|| Error::internal("models", format!("typify lost `{}.{}`", schema.name, property.name)))?;
        let function = made.default.as_deref().and_then(|name| types.take_default(name));
        fields.push(made.emit(property));
        defaults.extend(function.map(|function| public(function)));
        shown.push((made.ident, property.sensitive));
    }
    if open {
        fields.push(quote! {
            /// Members that the document does not name.
            #[serde(flatten)]
            #[cfg_attr(feature = "builder", builder(default))]
            pub extra: JsonObject
        });
        shown.push((format_ident!("extra"), properties.iter().any(|property| property.sensitive)));
    }
    let docs = doc(&schema.docs.paragraphs());
    let deprecated = schema.docs.deprecated_attribute();
    let secretive = shown.iter().any(|(_, sensitive)| *sensitive);
    let derive_debug = if secretive { quote!() } else { quote!(Debug,) };
    let debug = if secretive { redacted_debug(&name, &shown) } else { quote!() };
    Ok(quote! {
        #docs
        #[derive(Clone, #derive_debug PartialEq, Deserialize, Serialize)]
        #[cfg_attr(feature = "builder", derive(bon::Builder), builder(on(String, into)))]
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        #deprecated
        #[non_exhaustive]
        pub struct #name { #(#fields),* }
        #(#defaults)*
        #debug
    })
}

/// A field as typify made it.
struct Made {
    property: String,
    ident: syn::Ident,
    ty: syn::Type,
    /// Arguments of its `serde` attribute.
    serde: Vec<TokenStream>,
    /// The function that gives its default.
    default: Option<String>,
}

impl Made {
    fn read(field: Field) -> Result<Self, Error> {
        let internal = |error: &dyn std::fmt::Display| Error::internal("models", error);
        let ident = field.ident.ok_or_else(|| internal(&"typify made a tuple struct"))?;
        let mut made = Self {
            property: ident.to_string(),
            ident,
            ty: field.ty,
            serde: Vec::new(),
            default: None,
        };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            made.read_serde(attribute).map_err(|error| internal(&error))?;
        }
        Ok(made)
    }

    fn read_serde(&mut self, attribute: &Attribute) -> syn::Result<()> {
        attribute.parse_nested_meta(|meta| {
            let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            let value = match meta.value() {
                Ok(value) => Some(value.parse::<syn::LitStr>()?.value().replace(' ', "")),
                Err(_) => None,
            };
            match (key.as_str(), value) {
                ("rename", Some(name)) => {
                    self.serde.push(quote!(rename = #name));
                    self.property = name;
                }
                ("default", None) => self.serde.push(quote!(default)),
                ("default", Some(path)) => {
                    let function = path.trim_start_matches("defaults::").to_owned();
                    let local = format!("default_{function}");
                    self.serde.push(quote!(default = #local));
                    self.default = Some(function);
                }
                ("skip_serializing_if", Some(path)) => {
                    let short = path.rsplit("::").take(2).collect::<Vec<_>>();
                    let owner = if short[1] == "Map" { "JsonObject" } else { short[1] };
                    let short = format!("{owner}::{}", short[0]);
                    self.serde.push(quote!(skip_serializing_if = #short));
                }
                // Typify insists that a required nullable field is there; readers here take absent for null.
                ("deserialize_with", Some(_)) => self.serde.push(quote!(default)),
                (other, _) => return Err(meta.error(format!("unforeseen serde attribute `{other}`"))),
            }
            Ok(())
        })
    }

    fn emit(&self, property: &Property) -> TokenStream {
        let Self { ident, ty, serde, .. } = self;
        let docs = doc(&property.docs.paragraphs());
        let deprecated = property.docs.deprecated_attribute();
        let serde = if serde.is_empty() { quote!() } else { quote!(#[serde(#(#serde),*)]) };
        let empty = !property.required && !is_option(ty);
        let builder = empty.then(|| quote!(#[cfg_attr(feature = "builder", builder(default))]));
        quote! {
            #docs
            #deprecated
            #serde
            #builder
            pub #ident: #ty
        }
    }
}

fn is_option(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

fn public(mut function: syn::ItemFn) -> TokenStream {
    function.sig.ident = format_ident!("default_{}", function.sig.ident);
    function.vis = syn::Visibility::Inherited;
    quote!(#function)
}

/// A `Debug` that shows which sensitive fields are there, and nothing of what they hold.
fn redacted_debug(name: &syn::Ident, shown: &[(syn::Ident, bool)]) -> TokenStream {
    let fields = shown.iter().map(|(ident, sensitive)| {
        let label = ident.to_string();
        if *sensitive {
            quote!(.field(#label, &Redacted))
        } else {
            quote!(.field(#label, &self.#ident))
        }
    });
    quote! {
        impl std::fmt::Debug for #name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!(#name)) #(#fields)* .finish()
            }
        }
    }
}
