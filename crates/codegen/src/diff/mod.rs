//! Compares two versions of the document by their effect in Rust and on the wire.
//!
//! Built on our own [`Document`] rather than on a library. `drift` is the one well-kept comparison of OpenAPI documents
//! in Rust; it reads OpenAPI 3.0, so that it could only compare lowered documents, and lowering drops the relevant
//! parts: `required`, enums, null, bounds, webhooks, paging, tags. The impact also depends on a construct's form in the
//! generated crates (`#[non_exhaustive]` structs with builders, open enums, a trait without default bodies), which no
//! general tool has. The emitters read nothing but `Document`, so documents that are equal there are equal for all
//! uses.
//!
//! One file per construct of the document; a comment at each rule gives the reason for its impact.

mod attributes;
mod body;
mod bump;
mod change;
mod context;
mod credential;
mod deprecation;
mod documentation;
mod equality;
mod kind;
mod limits;
mod operation;
mod pairs;
mod parameter;
mod property;
mod reachability;
mod schema;
mod security;
mod server;
mod types;
mod union;
mod values;
mod webhook;

pub use bump::Bump;
pub use change::{Change, Impact};
pub use kind::Kind;

use crate::source::Source;
use crate::{Error, Input, read};
use context::Context;

/// The changes between two versions of the document, in the order of the new one.
///
/// Each version is an [`Input`], or a file name, for messages, and its text.
///
/// # Errors
///
/// The diagnostics of [`generate`](crate::generate) for either text.
pub fn diff<'a>(old: impl Into<Input<'a>>, new: impl Into<Input<'a>>) -> Result<Vec<Change>, Error> {
    let (mut old, mut new) = (Source::parse(&old.into())?, Source::parse(&new.into())?);
    let ((before, _), (after, _)) = (read::strict(&mut old)?, read::strict(&mut new)?);
    let context = Context::new((&before, &old.value), (&after, &new.value));
    let mut sections = [
        ("info", documentation::document(&context)),
        ("servers", server::compare(&context)),
        ("paths", operation::compare(&context)),
        ("webhooks", webhook::compare(&context)),
        ("components/securitySchemes", credential::compare(&context)),
        (
            "components/parameters",
            documentation::components(&context, "parameters"),
        ),
        (
            "components/requestBodies",
            documentation::components(&context, "requestBodies"),
        ),
        ("components/responses", documentation::components(&context, "responses")),
        ("components/headers", documentation::components(&context, "headers")),
        ("components/schemas", schema::compare(&context)),
    ];
    sections.sort_by_key(|(section, _)| new.span(&format!("/{section}")).start);
    Ok(sections.into_iter().flat_map(|(_, changes)| changes).collect())
}
