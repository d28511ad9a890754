//! The router: one route per path, one function per server.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::path::is_mixed;
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
        let own: Vec<_> = document
            .operations
            .iter()
            .filter(|operation| operation.server == server.variable)
            .collect();
        let own = own.chunk_by(|a, b| a.path == b.path).map(route);
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

/// The path as the router has it: a segment with text beside parameters is one capture.
fn route_path(path: &str) -> String {
    let segments = path.split('/').enumerate();
    let segments = segments.map(|(index, segment)| match is_mixed(segment) {
        true => format!("{{{}}}", capture(index)),
        false => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The name of the capture of a segment. No parameter has one with a space.
fn capture(index: usize) -> String {
    format!("segment {index}")
}

/// What splits the segments of a path that have text beside parameters.
pub(super) fn split(operation: &Operation) -> TokenStream {
    let segments = operation.path.split('/').enumerate();
    let mixed = segments.filter(|(_, segment)| is_mixed(segment));
    let splits = mixed.map(|(index, segment)| {
        let name = capture(index);
        quote!(request.split(#name, #segment)?;)
    });
    splits.collect()
}

/// The route of the operations of one path.
fn route(operations: &[&Operation]) -> TokenStream {
    let path = operations.first().map(|operation| route_path(&operation.path));
    let mut methods = TokenStream::new();
    for operation in operations {
        let (tag, handler, method) = (
            format_ident!("{}", operation.tag),
            method_name(operation),
            format_ident!("{}", operation.method.key()),
        );
        let dot = (!methods.is_empty()).then(|| quote!(.));
        methods.extend(quote!(#dot #method(#tag::#handler::<A>)));
    }
    // A path that ends in a slash is also served without it.
    let bare = path
        .as_deref()
        .and_then(|path| path.strip_suffix('/'))
        .filter(|bare| !bare.is_empty());
    let bare = bare.map(|bare| quote!(.route(#bare, #methods)));
    quote! {
        .route(#path, #methods)
        #bare
    }
}
