//! Runtime of generated clients: parts shared by all OpenAPI documents.
//!
//! Generated code has a builder for each operation, which holds a `Call` and makes a `Request` of it, and
//! `client!` makes the `Client` of a [`Document`] that begins calls. Callers see neither: they use the
//! crate of the client, which exports the types here.

mod addresses;
mod body;
mod builder;
mod call;
mod client;
mod clock;
#[doc(hidden)]
pub mod codegen;
mod credentials;
mod document;
mod environment;
mod error;
mod event_stream;
mod failure;
#[cfg(test)]
mod fixture;
mod location;
mod operation;
mod paging;
mod path;
mod payload;
mod progress;
mod request;
mod response;
mod retry;
mod segments;
mod stream;
mod transport;
mod upload;

pub use body::Body;
pub use builder::Builder;
pub use document::Document;
pub use error::Error;
pub use event_stream::EventStream;
pub use failure::{Failure, TransportError};
pub use operation::Operation;
pub use paging::{Fetch, Items, Paged, PagedCall, Pages, Position};
pub use progress::UploadProgress;
pub use response::Response;
pub use retry::RetryPolicy;
pub use stream::{ByteStream, Lines};
pub use transport::Transport;
pub use upload::{LinesUpload, Upload};
pub use wearlab_kit_types::{Headers, ServerSentEvent};
