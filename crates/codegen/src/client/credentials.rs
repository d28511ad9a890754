//! The setters of addresses and credentials.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::place;
use crate::document::{Carrier, Document, SecurityScheme, Server};
use crate::output::{GeneratedFile, doc};
use crate::rust::{scheme_type, server_variant};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let rows = document.security.iter().map(|scheme| {
        let (variant, setter) = (scheme_type(&scheme.name), scheme.setter());
        let variable = document.variable(&scheme.short_name);
        quote!((Credential::#variant, #setter, #variable))
    });
    let addresses = document.servers.iter().map(|server| {
        let (variant, setter) = (server_variant(&server.variable), &server.variable);
        let variable = document.variable(setter);
        quote!((Server::#variant, #setter, #variable))
    });
    let setters = document
        .servers
        .iter()
        .map(address)
        .chain(document.security.iter().map(setter));
    let items = quote! {
        use super::operations::{Credential, Server};
        use crate::codegen::ClientBuilder;

        /// The setter of each address, and the variable of the environment that it is read from.
        pub(crate) const ADDRESSES: &[(Server, &str, &str)] = &[#(#addresses),*];

        /// The setter of each credential, and the variable of the environment that it is read from.
        pub(crate) const SETTERS: &[(Credential, &str, &str)] = &[#(#rows),*];

        impl ClientBuilder { #(#setters)* }
    };
    GeneratedFile::new(path, "The setters of addresses and credentials.", items)
}

fn address(server: &Server) -> TokenStream {
    let (variant, name) = (server_variant(&server.variable), &server.variable);
    let setter = format_ident!("{name}");
    let docs = doc(&[server.paragraph()]);
    quote! {
        #docs
        pub fn #setter(self, url: impl Into<String>) -> Self { self.named_address(Server::#variant, #name, url) }
    }
}

fn setter(scheme: &SecurityScheme) -> TokenStream {
    let (variant, setter) = (scheme_type(&scheme.name), format_ident!("{}", scheme.setter()));
    let docs = doc(&[scheme.paragraph(), place(scheme)]);
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
