//! What generated code tells of its document.

use std::fmt::Debug;
use std::sync::Arc;

use axum::response::Response;
use wearlab_kit_types::carrier::HasCarrier;

use crate::{Input, Operation};

/// Routes, each with its operations.
pub type Routes<D> = &'static [(&'static str, &'static [&'static Operation<D>])];

/// A document: its credentials, its routes, and the names of its errors. Implemented by generated code.
pub trait Document: Clone + Copy + Debug + Send + Sync + 'static {
    /// A credential of the document.
    type Credential: HasCarrier;
    /// The routes of each server.
    const ROUTES: &'static [Routes<Self>];
    /// The values of `WWW-Authenticate`, by the kinds of credentials.
    const CHALLENGES: &'static [&'static str];
    /// The beginning of the `type` of problem documents, such as `urn:service:problem:`.
    const PROBLEMS: &'static str;
}

/// The reads of a document, for a back end.
pub trait Reads<A>: Document {
    /// Runs the read with an id; none where there is no such read.
    fn run_read(id: &str, api: Arc<A>, request: Input) -> impl Future<Output = Option<Response>> + Send;
}
