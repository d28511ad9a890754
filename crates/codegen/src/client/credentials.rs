//! The setters of credentials.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::credential::place;
use crate::document::{Carrier, Document, SecurityScheme};
use crate::output::{GeneratedFile, doc};
use crate::rust::{scheme_type, scheme_variable};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let rows = document.security.iter().map(|scheme| {
        let (variant, setter, variable) = (scheme_type(&scheme.name), scheme.setter(), scheme_variable(scheme));
        quote!((Credential::#variant, #setter, #variable))
    });
    let setters = document.security.iter().map(setter);
    let setters = (!document.security.is_empty()).then(|| quote!(impl ClientBuilder { #(#setters)* }));
    let import = (!document.security.is_empty()).then(|| {
        quote!(
            use crate::codegen::ClientBuilder;
        )
    });
    let items = quote! {
        use super::operations::Credential;
        #import

        /// The setter of each credential, and the variable of the environment that it is read from.
        pub(crate) const SETTERS: &[(Credential, &str, &str)] = &[#(#rows),*];

        #setters
    };
    GeneratedFile::new(path, "The setters of credentials.", items)
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
