//! One type over all webhooks.

use std::collections::BTreeSet;

use heck::ToUpperCamelCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::envelope;
use crate::Error;
use crate::document::{Document, Webhook};
use crate::output::{GeneratedFile, doc};
use crate::rustdoc::code_span;

pub(super) fn emit(document: &Document, path: &str) -> Result<GeneratedFile, Error> {
    // An exact type takes precedence over a family, in any order.
    let (families, exact): (Vec<_>, Vec<_>) = document
        .webhooks
        .iter()
        .partition(|webhook| webhook.event_type.contains('{'));
    let ordered: Vec<&Webhook> = exact.into_iter().chain(families).collect();
    let types = ordered.iter().map(|webhook| &webhook.event_type);
    let variants = document.webhooks.iter().map(variant);
    let names: Vec<_> = document.webhooks.iter().map(name).collect();
    let arms = ordered.iter().map(|webhook| {
        let (name, event_type) = (name(webhook), &webhook.event_type);
        quote!(Some(#event_type) => Self::#name(from_json(payload)?))
    });
    let envelope = envelope::methods(document, name);
    let payloads: BTreeSet<_> = document.webhooks.iter().map(|webhook| &webhook.payload).collect();
    let payloads = payloads.into_iter().map(|payload| format_ident!("{payload}"));
    GeneratedFile::new(
        path.to_owned(),
        "The one type over all events.",
        quote! {
            use super::{#(#payloads),*};
            use crate::codegen::*;
            use crate::event::{Decode, family_of, from_json};
            use crate::unknown_event::UnknownEvent;

            /// An event of any type, as a queue or a webhook delivers it.
            ///
            /// An event of a type that the document does not describe is kept whole in [`Event::Unknown`].
            #[derive(Clone, Debug, PartialEq, Serialize)]
            #[serde(untagged)]
            #[non_exhaustive]
            pub enum Event {
                #(#variants,)*
                /// An event of a type that the document does not describe, with its unparsed text.
                Unknown(UnknownEvent),
            }

            impl Event {
                /// The event types that the document describes, exact ones before families.
                pub const TYPES: &'static [&'static str] = &[#(#types),*];

                /// The event's type, such as `daily.data.steps.created`.
                pub fn event_type(&self) -> &str {
                    match self {
                        #(Self::#names(event) => &event.event_type,)*
                        Self::Unknown(event) => event.event_type(),
                    }
                }

                #envelope
            }

            impl Decode for Event {
                fn decode(event_type: &str, payload: &RawValue) -> serde_json::Result<Self> {
                    let event = match family_of(event_type, Self::TYPES) {
                        #(#arms,)*
                        _ => Self::Unknown(UnknownEvent::new(event_type, payload)),
                    };
                    Ok(event)
                }
            }
        },
    )
}

fn name(webhook: &Webhook) -> syn::Ident {
    format_ident!("{}", webhook.id.to_upper_camel_case())
}

fn variant(webhook: &Webhook) -> TokenStream {
    let mut paragraphs = webhook.docs.paragraphs();
    paragraphs.insert(0, code_span(&webhook.event_type));
    let docs = doc(&paragraphs);
    let (name, payload) = (name(webhook), format_ident!("{}", webhook.payload));
    let deprecated = webhook.docs.deprecated_attribute();
    quote!(#docs #deprecated #name(#payload))
}
