//! The setters of addresses and credentials.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::place;
use crate::document::{Carrier, Document, SecurityScheme, Server};
use crate::output::{GeneratedFile, doc};
use crate::rust::{scheme_type, server_variant};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let setters = document
        .servers
        .iter()
        .map(|server| address(document, server))
        .chain(document.security.iter().map(|scheme| setter(document, scheme)));
    let credential = (!document.security.is_empty()).then(|| quote!(Credential,));
    let items = quote! {
        use super::operations::{#credential Server};
        use crate::codegen::ClientBuilder;

        impl ClientBuilder { #(#setters)* }
    };
    GeneratedFile::new(path, "The setters of addresses and credentials.", items)
}

fn address(document: &Document, server: &Server) -> TokenStream {
    let (variant, name) = (server_variant(&server.variable), &server.variable);
    let setter = format_ident!("{name}");
    let docs = doc(&[server.paragraph(), variable(document, name)]);
    quote! {
        #docs
        pub fn #setter(self, url: impl Into<String>) -> Self { self.named_address(Server::#variant, #name, url) }
    }
}

fn setter(document: &Document, scheme: &SecurityScheme) -> TokenStream {
    let (variant, setter) = (scheme_type(&scheme.name), format_ident!("{}", scheme.setter()));
    let docs = doc(&[
        scheme.paragraph(),
        place(scheme),
        variable(document, &scheme.short_name),
    ]);
    match scheme.carrier {
        Carrier::Basic => quote! {
            #docs
            pub fn #setter(self, user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
                let login = format!("{}:{}", user.as_ref(), password.as_ref());
                self.credential(Credential::#variant, login)
            }
        },
        Carrier::Bearer => quote! {
            #docs
            pub fn #setter(self, token: impl AsRef<str>) -> Self { self.credential(Credential::#variant, token) }
        },
        _ => quote! {
            #docs
            pub fn #setter(self, key: impl AsRef<str>) -> Self { self.credential(Credential::#variant, key) }
        },
    }
}

/// Sentence on the environment variable of a value.
fn variable(document: &Document, name: &str) -> String {
    format!("`from_env` reads it from `{}`.", document.variable(name))
}
