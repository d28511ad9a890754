//! The router: a route each operation, a function each address.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Document, Operation};
use crate::output::{GeneratedFile, doc};
use crate::rust::{method_name, server_routes};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let areas = document
        .areas
        .iter()
        .filter(|area| document.operations.iter().any(|operation| operation.area == area.name))
        .map(|area| format_ident!("{}", area.name));
    let mut items = quote! {
        use super::{Api, #(#areas),*};
        use crate::codegen::*;
    };
    let mut merged = TokenStream::new();
    for server in &document.servers {
        let name = server_routes(&server.variable);
        let docs = doc(&[
            format!(
                "The operations that are answered at `{}`, without a back end.",
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
        /// All operations, without a back end, to put other routes beside them; [`finish`] makes them a router.
        pub fn routes<A: Api>() -> Router<Arc<A>> { Router::new() #merged }

        /// All operations, at one address.
        ///
        /// Every error, also for a path or a method that is not there, is a problem document.
        pub fn router<A: Api>(api: Arc<A>) -> Router { finish(routes::<A>(), api) }
    });
    GeneratedFile::new(path, "The router of all operations.", items)
}

fn route(operation: &Operation) -> TokenStream {
    let (area, handler, path) = (
        format_ident!("{}", operation.area),
        method_name(operation),
        &operation.path,
    );
    // A path that ends in a slash answers without it too.
    let bare = path.strip_suffix('/').filter(|bare| !bare.is_empty());
    let bare = bare.map(|bare| quote!(.route(#bare, get(#area::#handler::<A>))));
    quote! {
        .route(#path, get(#area::#handler::<A>))
        #bare
    }
}
