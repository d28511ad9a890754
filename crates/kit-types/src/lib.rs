//! Runtime of generated types: parts shared by all OpenAPI documents.
//!
//! - open enums keep values that the document does not name: [`Unknown`]
//! - values of one of several types keep unknown ones: [`UnknownValue`]
//! - timestamps keep their offset: [`DateTime`]
//! - secrets do not show in `Debug`: [`Secret`]; those of a response may be masked: [`Masked`]
//! - files in bodies of several parts: [`FilePart`]
//! - paged lists have the position of the next page: [`Page`]
//! - bytes that encode a value: [`Encoded`]
//! - the body of errors: [`Problem`]

#[doc(hidden)]
pub mod carrier;
#[doc(hidden)]
pub mod codegen;
mod defaults;
mod encoded;
#[doc(hidden)]
pub mod enums;
mod event_stream;
mod file_part;
pub mod form;
mod headers;
mod integer;
mod integer_enums;
mod lenient;
mod line_buffer;
mod mask;
mod masked;
pub mod multipart;
#[doc(hidden)]
pub mod one_of;
mod page;
mod primitives;
mod problem;
mod rounded;
mod schema_visitor;
mod secret;
pub mod segment;

pub use encoded::Encoded;
pub use enums::{ParseEnumError, Unknown};
pub use event_stream::{EventBuffer, ServerSentEvent};
pub use file_part::{FileContent, FilePart};
pub use headers::Headers;
pub use line_buffer::{LineBuffer, RECORD_SEPARATOR};
pub use mask::MASK;
pub use masked::{Masked, PathSegment, SecretPath, Secrets, VisitSecret};
pub use one_of::UnknownValue;
pub use page::Page;
pub use primitives::{DateTime, JsonObject, JsonValue, NaiveDate, Uuid};
pub use problem::{ConflictingObject, Problem, Violation};
pub use schema_visitor::SchemaVisitor;
pub use secret::Secret;
