//! Facts of the document that the kit needs, and the client of the document.

use quote::quote;

use crate::Error;
use crate::document::Document;
use crate::output::GeneratedFile;
use crate::rust::{scheme_type, server_variant};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let setters = document.security.iter().map(|scheme| {
        let (variant, setter) = (scheme_type(&scheme.name), scheme.setter());
        let variable = document.variable(&scheme.short_name);
        quote!((Credential::#variant, #setter, #variable))
    });
    let prefix = document.variable("header_prefix");
    let addresses = document.servers.iter().map(|server| {
        let (variant, setter) = (server_variant(&server.variable), &server.variable);
        let variable = document.variable(setter);
        quote!((Server::#variant, #setter, #variable))
    });
    let urls = document.servers.iter().filter_map(|server| {
        let (variant, url) = (server_variant(&server.variable), server.url()?);
        Some(quote!((Server::#variant, #url)))
    });
    // Services of our own document have no URL that all of them share.
    let urls = document
        .third_party
        .then(|| quote!(const URLS: &'static [(Server, &'static str)] = &[#(#urls),*];));
    let items = quote! {
        use super::operations::{Credential, Server};
        use crate::codegen::{Document, client, kit};

        /// This document.
        #[derive(Clone, Copy, Debug)]
        pub struct ThisDocument;

        impl Document for ThisDocument {
            type Server = Server;
            type Credential = Credential;
            const SERVICE: Server = Server::Base;
            const ADDRESSES: &'static [(Server, &'static str, &'static str)] = &[#(#addresses),*];
            #urls
            const SETTERS: &'static [(Credential, &'static str, &'static str)] = &[#(#setters),*];
            const PREFIX_VARIABLE: &'static str = #prefix;
            const USER_AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        }

        client!(ThisDocument);

        /// Description of an operation, as the document has it.
        pub type Operation = kit::Operation<ThisDocument>;

        pub(crate) type Call<'a> = kit::codegen::Call<'a, ThisDocument>;

        /// Requests of calls.
        pub(crate) mod request {
            #[allow(unused_imports, clippy::allow_attributes, reason = "not all documents have entity tags")]
            pub(crate) use crate::codegen::kit::codegen::changed;

            pub(crate) type Request<'a> = crate::codegen::kit::codegen::Request<'a, super::ThisDocument>;
        }
    };
    GeneratedFile::new(path, "Facts of the document for the kit, and the client.", items)
}
