//! Two versions of the document, compared by what they become in Rust and on the wire.
//!
//! Built on our own [`Document`] rather than on a library. `drift` is the one well-kept comparison of OpenAPI documents
//! in Rust; it reads OpenAPI 3.0, so that only lowered documents could be given to it, and lowering drops what matters
//! here: `required`, enums, null, bounds, webhooks, paging, areas. And a verdict hangs on what a construct is in the
//! generated crates (`#[non_exhaustive]` structs with builders, open enums, a trait without default bodies), which no
//! general tool knows. `Document` is all that the emitters read, so what differs for none of them differs for nobody.
//!
//! One file a construct of the document; each rule says beside it why the verdict is what it is.

mod bump;
mod change;
mod credential;
mod deprecation;
mod kind;
mod operation;
mod pairs;
mod parameter;
mod property;
mod reach;
mod schema;
mod security;
mod server;
mod sides;
mod types;
mod values;
mod webhook;
mod words;

pub use bump::Bump;
pub use change::{Change, Impact};
pub use kind::Kind;

use crate::Error;
use crate::check;
use crate::document::Document;
use crate::source::{Report, Source};
use sides::Sides;

/// What changed from one version of the document to another, in the order of the new one.
///
/// Each version is a file name, for messages, and a text.
///
/// # Errors
///
/// What [`generate`](crate::generate) says of either text.
pub fn diff(old: (&str, &str), new: (&str, &str)) -> Result<Vec<Change>, Error> {
    let (old, new) = (Source::parse(old.0, old.1)?, Source::parse(new.0, new.1)?);
    let (before, after) = (read(&old)?, read(&new)?);
    let sides = Sides::new((&before, &old.value), (&after, &new.value));
    let mut sections = [
        ("info", words::document(&sides)),
        ("servers", server::compare(&sides)),
        ("paths", operation::compare(&sides)),
        ("webhooks", webhook::compare(&sides)),
        ("components/securitySchemes", credential::compare(&sides)),
        ("components/parameters", words::components(&sides, "parameters")),
        ("components/responses", words::components(&sides, "responses")),
        ("components/headers", words::components(&sides, "headers")),
        ("components/schemas", schema::compare(&sides)),
    ];
    sections.sort_by_key(|(section, _)| new.span(&format!("/{section}")).start);
    Ok(sections.into_iter().flat_map(|(_, changes)| changes).collect())
}

fn read(source: &Source<'_>) -> Result<Document, Error> {
    let mut report = Report::new(source);
    check::check(source, &mut report);
    report.finish()?;
    let mut report = Report::new(source);
    let document = Document::read(source, &mut report);
    report.finish()?;
    Ok(document)
}
