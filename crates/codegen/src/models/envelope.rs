//! Accessors of an event's envelope: ids of the event, the user and the team.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::document::{Document, Property, Schema, SchemaKind, Type, Webhook};
use crate::output::doc;

/// The accessors of any event. They return `None` for a payload that lacks the field or has it as another type.
const FIELDS: [Field; 4] = [
    Field {
        name: "event_id",
        uuid: false,
        docs: "The event's id, if it has one. A repeated delivery has the same id.",
    },
    Field {
        name: "team_id",
        uuid: true,
        docs: "The team that the event is for, if the payload contains it.",
    },
    Field {
        name: "user_id",
        uuid: true,
        docs: "The user that the event is about, if the payload contains it, in the envelope or in `data`.",
    },
    Field {
        name: "client_user_id",
        uuid: false,
        docs: "The customer's own id for the user, if the payload contains it.",
    },
];

struct Field {
    name: &'static str,
    uuid: bool,
    docs: &'static str,
}

/// The methods of `Event`, with the variant of each webhook.
pub(super) fn methods(document: &Document, variant: impl Fn(&Webhook) -> syn::Ident) -> TokenStream {
    FIELDS
        .iter()
        .map(|field| {
            let (method, docs) = (format_ident!("{}", field.name), doc(&[field.docs.to_owned()]));
            let ty = if field.uuid { quote!(Uuid) } else { quote!(&str) };
            let arms = document.webhooks.iter().map(|webhook| {
                let name = variant(webhook);
                match field.read(document, webhook) {
                    Some(read) => quote!(Self::#name(event) => #read),
                    None => quote!(Self::#name(_) => None),
                }
            });
            quote! {
                #docs
                pub fn #method(&self) -> Option<#ty> {
                    match self {
                        #(#arms,)*
                        Self::Unknown(event) => event.#method(),
                    }
                }
            }
        })
        .collect()
}

impl Field {
    /// Emits the read of the field of `event`, if the payload has it, in the envelope or in `data`.
    fn read(&self, document: &Document, webhook: &Webhook) -> Option<TokenStream> {
        let payload = properties(document, &webhook.payload)?;
        if let Some(field) = self.found(payload) {
            return Some(self.option(field, &quote!(event)));
        }
        let data = payload
            .iter()
            .find(|property| property.name == "data" && property.required)?;
        let Type::Ref(name) = &data.ty else { return None };
        let field = self.found(properties(document, name)?)?;
        Some(self.option(field, &quote!(event.data)))
    }

    fn found<'d>(&self, properties: &'d [Property]) -> Option<&'d Property> {
        properties.iter().find(|property| {
            let fits = match property.ty.without_null() {
                Type::Uuid => self.uuid,
                Type::String(_) => !self.uuid,
                _ => false,
            };
            property.name == self.name && fits
        })
    }

    fn option(&self, property: &Property, of: &TokenStream) -> TokenStream {
        let name = format_ident!("{}", self.name);
        let there = property.default.is_some() || property.required && !matches!(property.ty, Type::Nullable(_));
        if property.distinguish_null {
            return match self.uuid {
                true => quote!(#of.#name.flatten()),
                false => quote!(#of.#name.as_ref().and_then(Option::as_deref)),
            };
        }
        match (there, self.uuid) {
            (true, true) => quote!(Some(#of.#name)),
            (true, false) => quote!(Some(&#of.#name)),
            (false, true) => quote!(#of.#name),
            (false, false) => quote!(#of.#name.as_deref()),
        }
    }
}

fn properties<'d>(document: &'d Document, name: &str) -> Option<&'d [Property]> {
    let schema: &Schema = document.schemas.iter().find(|schema| schema.name == name)?;
    match &schema.kind {
        SchemaKind::Object { properties, .. } => Some(properties),
        _ => None,
    }
}
