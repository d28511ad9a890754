//! The enum of credentials, shared by client and server.

use proc_macro2::TokenStream;
use quote::quote;

use crate::document::{Carrier, Document, SecurityScheme};
use crate::output::doc;
use crate::rust::scheme_type;

/// The enum `Credential` with its attributes, and the place of each credential in a request.
pub(crate) fn credential(document: &Document, attributes: &TokenStream) -> TokenStream {
    let variants = document.security.iter().map(|scheme| {
        let name = scheme_type(&scheme.name);
        let docs = doc(&[place(scheme), scheme.paragraph()]);
        quote!(#docs #name)
    });
    let carriers = document.security.iter().map(|scheme| {
        let (name, carrier) = (scheme_type(&scheme.name), carrier(&scheme.carrier));
        quote!(Self::#name => #carrier)
    });
    let carrier = match document.security.is_empty() {
        true => quote!(match self {}),
        false => quote!(match self { #(#carriers),* }),
    };
    quote! {
        /// A credential that operations accept.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #attributes
        pub enum Credential { #(#variants),* }

        impl Credential {
            /// Its place in a request.
            #[doc(hidden)]
            pub const fn carrier(self) -> Carrier { #carrier }

            /// The headers that carry it, in lower case, the authoritative one first.
            pub const fn headers(self) -> &'static [&'static str] { self.carrier().headers() }
        }

        impl HasCarrier for Credential {
            fn carrier(self) -> Carrier { Self::carrier(self) }
        }
    }
}

/// The place of a credential, as a sentence.
pub(crate) fn place(scheme: &SecurityScheme) -> String {
    let place = scheme.carrier.place();
    format!("{}{}.", place[..1].to_uppercase(), &place[1..])
}

/// A carrier as an expression.
pub(crate) fn carrier(carrier: &Carrier) -> TokenStream {
    match carrier {
        Carrier::Header(names) => {
            let names = names.iter().map(|name| name.to_lowercase());
            quote!(Carrier::Header(&[#(#names),*]))
        }
        Carrier::Query(name) => quote!(Carrier::Query(#name)),
        Carrier::Cookie(name) => quote!(Carrier::Cookie(#name)),
        Carrier::Bearer => quote!(Carrier::Bearer),
        Carrier::Basic => quote!(Carrier::Basic),
    }
}
