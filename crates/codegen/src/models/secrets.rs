//! Visitors of secrets, of the types that responses mask or may have within.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Property, Schema, SchemaKind};

/// The visitor of a type, if it has one. `fields` are the names of the fields of an object, in the order of its
/// properties.
pub(super) fn emit(schema: &Schema, visited: &BTreeSet<String>) -> TokenStream {
    if !visited.contains(&schema.name) {
        return quote!();
    }
    let name = format_ident!("{}", schema.name);
    let visits = match &schema.kind {
        SchemaKind::Object { properties, members } => {
            let fields = properties.iter().filter(|property| property.ty.has_secret(visited));
            let fields = fields.map(field);
            let extra = members.typed().filter(|ty| ty.has_secret(visited));
            let extra = extra.map(|_| quote!(self.extra.visit_secrets(path, visit);));
            let visits: Vec<_> = fields.chain(extra).collect();
            match visits.is_empty() {
                true => quote!(let _ = (path, visit);),
                false => quote!(#(#visits)*),
            }
        }
        SchemaKind::Union(union) => {
            let variants = union.variants.iter().filter(|variant| variant.ty.has_secret(visited));
            let arms = variants.map(|variant| {
                let variant = format_ident!("{}", variant.name);
                quote!(Self::#variant(value) => value.visit_secrets(path, visit),)
            });
            quote! {
                match self {
                    #(#arms)*
                    _ => {}
                }
            }
        }
        // An alias is its type.
        _ => return quote!(),
    };
    quote! {
        impl Secrets for #name {
            fn visit_secrets(&mut self, path: &mut SecretPath, visit: &mut VisitSecret<'_>) { #visits }
        }
    }
}

fn field(property: &Property) -> TokenStream {
    let (name, ident) = (&property.name, format_ident!("{}", property.field()));
    quote!(path.within(#name, |path| self.#ident.visit_secrets(path, visit));)
}
