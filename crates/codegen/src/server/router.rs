//! The router: one route per operation, one function per server.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Document, Operation};
use crate::output::{GeneratedFile, doc};
use crate::rust::{method_name, server_routes};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let tags = document
        .tags
        .iter()
        .filter(|tag| document.operations.iter().any(|operation| operation.tag == tag.name))
        .map(|tag| format_ident!("{}", tag.name));
    let mut items = quote! {
        use super::{Api, #(#tags),*};
        use crate::codegen::*;
    };
    let mut merged = TokenStream::new();
    for server in &document.servers {
        let name = server_routes(&server.variable);
        let docs = doc(&[
            format!(
                "The operations of the server `{}`, without a back end.",
                server.variable
            ),
            server.paragraph(),
        ]);
        let own = document
            .operations
            .iter()
            .filter(|operation| operation.server == server.variable)
            .map(route);
        merged.extend(quote!(.merge(#name::<A>())));
        items.extend(quote! {
            #docs
            pub fn #name<A: Api>() -> Router<Arc<A>> { Router::new() #(#own)* }
        });
    }
    items.extend(quote! {
        /// All operations, without a back end, to be merged with other routes; [`finish`] makes them a router.
        pub fn routes<A: Api>() -> Router<Arc<A>> { Router::new() #merged }

        /// All operations, on one server.
        ///
        /// Every error is a problem document, also for an unknown path or method.
        pub fn router<A: Api>(api: Arc<A>) -> Router { finish(routes::<A>(), api) }
    });
    GeneratedFile::new(path, "The router of all operations.", items)
}

fn route(operation: &Operation) -> TokenStream {
    let (tag, handler, path) = (
        format_ident!("{}", operation.tag),
        method_name(operation),
        &operation.path,
    );
    // A path that ends in a slash is also served without it.
    let bare = path.strip_suffix('/').filter(|bare| !bare.is_empty());
    let bare = bare.map(|bare| quote!(.route(#bare, get(#tag::#handler::<A>))));
    quote! {
        .route(#path, get(#tag::#handler::<A>))
        #bare
    }
}
