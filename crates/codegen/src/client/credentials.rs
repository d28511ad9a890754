//! The setters of addresses and credentials.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::place;
use crate::document::{Carrier, Document, SecurityScheme, Server};
use crate::output::{GeneratedFile, doc};
use crate::rust::{scheme_type, server_variant};
use crate::rustdoc::rustdoc;

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
    let docs = doc(&[
        vec![server.paragraph(), variable(document, name)],
        default_url(document, server),
    ]
    .concat());
    quote! {
        #docs
        pub fn #setter(self, url: impl Into<String>) -> Self { self.named_address(Server::#variant, #name, url) }
    }
}

/// The URL that the operations of a server of a third-party document are sent to by default.
fn default_url(document: &Document, server: &Server) -> Vec<String> {
    let (Some(url), Some(service)) = (server.url(), document.servers.first()) else {
        return Vec::new();
    };
    let sentence = match document.third_party {
        false => return Vec::new(),
        true if service == server => format!(
            "By default, it is `{url}`. With another one, operations of other servers are sent to it as well, unless they \
             have a URL of their own."
        ),
        true => format!(
            "By default, it is `{url}`, or `{}`, if that is set to another URL than the default.",
            service.variable
        ),
    };
    vec![rustdoc(&sentence)]
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
