//! The router: one route per path, one function per server.

use std::iter;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::Error;
use crate::document::path::is_mixed;
use crate::document::{Document, Method, Operation};
use crate::output::{GeneratedFile, doc};
use crate::rust::{constant_name, method_name, server_routes};

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let tags = document.operation_tags().map(|tag| format_ident!("{}", tag.name));
    let mut items = quote! {
        use super::{Api, operations, #(#tags),*};
        use crate::codegen::*;
    };
    let mut merged = TokenStream::new();
    let reads = document
        .operations
        .iter()
        .filter(|operation| operation.method == Method::Get);
    let reads = reads.map(|operation| {
        let (id, tag, handler) = (
            &operation.id,
            format_ident!("{}", operation.tag),
            method_name(operation),
        );
        let request = operation.reads_request().then(|| quote!(, request));
        // Each in a box: a future that has room for any of them is copied whole wherever it is passed on.
        quote!(#id => Box::pin(#tag::#handler::<A>(state #request)).await.into_response(),)
    });
    let reads: Vec<_> = reads.collect();
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
        let by_path = || own.chunk_by(|a, b| a.path == b.path);
        let listed = by_path().flat_map(listed);
        let own = by_path().map(route);
        let (constant, constant_docs) = (
            format_ident!("{}", name.to_string().to_uppercase()),
            doc(&[format!(
                "The routes of the server `{}`, each with its operations.",
                server.variable
            )]),
        );
        merged.extend(quote!(.merge(#name::<A>())));
        items.extend(quote! {
            #constant_docs
            pub const #constant: &[(&str, &[&Operation])] = &[#(#listed),*];
        });
        items.extend(quote! {
            #docs
            pub fn #name<A: Api>() -> Router<Arc<A>> { Router::new() #(#own)* }
        });
    }
    let read = match reads.is_empty() {
        true => quote!(None),
        false => quote! {
            let state = State(api);
            Some(match id {
                #(#reads)*
                _ => return None,
            })
        },
    };
    items.extend(quote! {
        /// All operations, without a back end, to be merged with other routes; [`finish`] makes them a router.
        pub fn routes<A: Api>() -> Router<Arc<A>> { Router::new() #merged }

        /// All operations, on one server.
        ///
        /// Every error is a problem document, also for an unknown path or method.
        pub fn router<A: Api>(api: Arc<A>) -> Router { finish(routes::<A>(), api) }

        impl<A: Api> Reads<A> for ThisDocument {
            #[allow(unused_variables, clippy::allow_attributes, reason = "the document decides what is read")]
            async fn run_read(id: &str, api: Arc<A>, request: Input) -> Option<Response> {
                #read
            }
        }
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

/// Splits the segments of a path that have text beside parameters.
pub(super) fn split(operation: &Operation) -> TokenStream {
    let segments = operation.path.split('/').enumerate();
    let mixed = segments.filter(|(_, segment)| is_mixed(segment));
    let splits = mixed.map(|(index, segment)| {
        let name = capture(index);
        quote!(request.split(#name, #segment)?;)
    });
    splits.collect()
}

/// The routes of the operations of one path.
fn listed(operations: &[&Operation]) -> Vec<TokenStream> {
    let constants: Vec<_> = operations.iter().map(|operation| constant_name(operation)).collect();
    let paths = operations.first().map(|operation| paths(operation)).unwrap_or_default();
    let listed = paths
        .iter()
        .map(|path| quote!((#path, &[#(&operations::#constants),*])));
    listed.collect()
}

/// The paths of an operation: one that ends in a slash, also without it.
fn paths(operation: &Operation) -> Vec<String> {
    let path = route_path(&operation.path);
    let bare = path
        .strip_suffix('/')
        .filter(|bare| !bare.is_empty())
        .map(str::to_owned);
    iter::once(path).chain(bare).collect()
}

/// The routes of the operations of one path.
fn route(operations: &[&Operation]) -> TokenStream {
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
    let paths = operations.first().map(|operation| paths(operation)).unwrap_or_default();
    quote!(#(.route(#paths, #methods))*)
}
