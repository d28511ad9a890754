//! Values of one of several types, as a list of variants for the models' macro.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Document, Property, Schema, SchemaKind, Type, Union};
use crate::output::doc;
use crate::rust::rust_type;

pub(super) fn emit(document: &Document, schema: &Schema, union: &Union) -> TokenStream {
    let name = format_ident!("{}", schema.name);
    let docs = doc(&schema.docs.paragraphs_or(&schema.name));
    let deprecated = schema.docs.deprecated_attribute();
    let variants = union.variants.iter().map(|variant| {
        let (name, ty) = (format_ident!("{}", variant.name), rust_type(&variant.ty, &quote!()));
        let ty = if variant.boxed { quote!(Box<#ty>) } else { ty };
        let tags = &variant.tags;
        let told = match union.discriminator {
            Some(_) => quote!([#(#tags),*]),
            None => shape(document, &variant.ty, true),
        };
        quote!(#name(#ty) = #told)
    });
    let by = union.discriminator.iter().map(|property| quote!(By = #property,));
    quote! {
        union! {
            #docs
            #deprecated
            pub enum #name { #(#by)* #(#variants,)* }
        }
    }
}

/// Returns the marks that distinguish a type from others. `deep`: of an object, its members.
fn shape(document: &Document, ty: &Type, deep: bool) -> TokenStream {
    match ty.without_null() {
        Type::String(limits) => match &limits.only {
            Some(text) => quote!(Only(&[#text])),
            None => quote!(Text),
        },
        Type::Secret(_) | Type::File(_) | Type::Uuid | Type::Date | Type::DateTime | Type::Ipv4 | Type::Ipv6 => {
            quote!(Text)
        }
        Type::Integer(..) => quote!(Integer),
        Type::Number(_) => quote!(Number),
        Type::Boolean => quote!(Boolean),
        Type::Array(items, _) => {
            let items = item_shape(document, items);
            quote!(List(&#items))
        }
        Type::Map { values, .. } => {
            let values = item_shape(document, values);
            quote!(Map(&#values))
        }
        Type::Open(_) => quote!(Object),
        Type::Any | Type::Nullable(_) => quote!(Any),
        Type::Ref(name) => {
            let schema = document.schemas.iter().find(|schema| schema.name == *name);
            match schema.map(|schema| &schema.kind) {
                Some(SchemaKind::Object { properties, .. }) if deep => members(document, properties),
                Some(SchemaKind::Object { .. }) => quote!(Object),
                Some(SchemaKind::OpenEnum(_)) => quote!(Text),
                Some(SchemaKind::ClosedEnum(values)) => quote!(Only(&[#(#values),*])),
                Some(SchemaKind::IntegerEnum(_)) => quote!(Integer),
                _ => quote!(Any),
            }
        }
    }
}

/// Returns the marks that distinguish an item or a member from others: null is any value.
fn item_shape(document: &Document, ty: &Type) -> TokenStream {
    match ty {
        Type::Nullable(_) => quote!(Any),
        ty => shape(document, ty, false),
    }
}

fn members(document: &Document, properties: &[Property]) -> TokenStream {
    let members = properties.iter().map(|property| {
        let name = &property.name;
        let needed = property.required && !matches!(property.ty, Type::Nullable(_));
        let shape = shape(document, &property.ty, false);
        quote!((#name, #needed, #shape))
    });
    quote!(Members(&[#(#members),*]))
}
