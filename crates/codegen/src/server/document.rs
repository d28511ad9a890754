//! Facts of the document that the kit needs, and its types and functions for the document.

use quote::{format_ident, quote};

use crate::Error;
use crate::document::{Carrier, Document};
use crate::output::GeneratedFile;
use crate::rust::server_routes;

pub(super) fn emit(document: &Document, path: String) -> Result<GeneratedFile, Error> {
    let routes = document.servers.iter().map(|server| {
        let name = server_routes(&server.variable).to_string().to_uppercase();
        format_ident!("{name}")
    });
    let challenges = challenges(document);
    let problems = format!("urn:{}:problem:", document.service());
    let items = quote! {
        use super::operations::Credential;
        use super::router;
        use crate::codegen::{Arc, Document, Request, Router, Routes, kit};

        /// This document.
        #[derive(Clone, Copy, Debug)]
        pub struct ThisDocument;

        impl Document for ThisDocument {
            type Credential = Credential;
            const ROUTES: &'static [Routes<Self>] = &[#(router::#routes),*];
            const CHALLENGES: &'static [&'static str] = &[#(#challenges),*];
            const PROBLEMS: &'static str = #problems;
        }

        /// An operation of the interface.
        pub type Operation = kit::Operation<ThisDocument>;

        /// Gives a router its back end and all of [`layers`], in this order, outermost first:
        ///
        /// 1. [`RequestScope`](layers::RequestScope), since responses from further in need a request id and a body;
        /// 2. [`IfNoneMatch`](layers::IfNoneMatch), which has to be outside a layer that compresses;
        /// 3. [`Accepted`](layers::Accepted), which looks at the response of the operation;
        /// 4. [`catch_panic`](layers::catch_panic), so that all of the above also hold for a handler that panics.
        pub fn finish<A: Send + Sync + 'static>(routes: Router<Arc<A>>, api: Arc<A>) -> Router {
            kit::finish::<ThisDocument, A>(routes, api)
        }

        /// The parts of [`finish`], for routers with further layers in between.
        pub mod layers {
            pub use crate::codegen::kit::layers::{
                Accepted, IfNoneMatch, REQUEST_SPAN, RequestContext, catch_panic, with_back_end,
            };

            use super::{Operation, Request, ThisDocument, kit};

            /// A route that matches a request, with its `GET` operation.
            pub type GetMatch = kit::layers::GetMatch<ThisDocument>;

            /// Finds and runs the `GET` operation of a request.
            pub type GetRouter<A> = kit::layers::GetRouter<A, ThisDocument>;

            /// A request from its receipt to its response: its id, its context and its span.
            pub type RequestScope = kit::layers::RequestScope<ThisDocument>;

            /// The operation that a request was routed to. [`RequestScope::begin`] finds it: before, there is none.
            pub fn operation_of(request: &Request) -> Option<&'static Operation> {
                kit::layers::operation_of(request)
            }
        }
    };
    GeneratedFile::new(
        path,
        "Facts of the document for the kit, and aliases of the kit's types and functions.",
        items,
    )
}

fn challenges(document: &Document) -> Vec<&'static str> {
    let mut challenges: Vec<_> = document
        .security
        .iter()
        .map(|scheme| match scheme.carrier {
            Carrier::Bearer => "Bearer",
            Carrier::Basic => "Basic realm=\"api\", charset=\"UTF-8\"",
            _ => "ApiKey",
        })
        .collect();
    challenges.sort_unstable();
    challenges.dedup();
    challenges
}
