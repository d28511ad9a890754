//! Runtime of generated servers: parts shared by all OpenAPI documents.
//!
//! Generated code implements [`Document`], and has a handler for each operation, which reads an `Input` by the document's
//! rules. Implementers of a service use the crate of the server, which exports the types here.

mod body;
#[doc(hidden)]
pub mod codegen;
mod credentials;
mod decode;
mod document;
mod error;
mod event_stream;
mod field;
mod http;
mod input;
mod list;
mod multipart;
mod parameter;
mod query;
#[doc(hidden)]
pub mod reply;
#[doc(hidden)]
pub mod schema_rules;
mod scope;
mod stream;
mod structured;

pub use credentials::Basic;
pub use document::{Deprecation, Document, Operation, Routes};
pub use error::{ApiError, MapError};
pub use event_stream::EventStream;
pub use http::{
    HeaderPrefix, InvalidPrefix, Reads, RequestId, check_if_match, check_if_match_of_version, content, finish, layers,
};
#[doc(hidden)]
pub use input::Input;
pub use reply::{ApiResult, Parts, Reply};
pub use scope::Scoped;
pub use stream::{ByteStream, Lines};
pub use wearlab_kit_types::ServerSentEvent;
