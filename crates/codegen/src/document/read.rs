//! Reads the checked JSON as a typed document.

use std::collections::BTreeSet;

use super::json::text;
use super::{
    Document, body, examples, masking, names, operations, parameters, schemas, security_scheme, server, tag, webhook,
};
use crate::source::{Report, Source};

/// Reads a document whose syntax was checked. Reports constructs that the emitters do not support.
pub(crate) fn read(source: &Source<'_>, report: &mut Report<'_>) -> Document {
    let root = &source.value;
    let tags = tag::read_all(root, report);
    let servers = server::read_all(root, report);
    let security = security_scheme::read_all(root, report);
    let mut schemas = schemas::read_all(root, &tags, report);
    parameters::check_components(root, &schemas, report);
    body::check_components(root, report);
    let (mut operations, header_types) = operations::read_all(root, &tags, &servers, &security, &schemas, report);
    let webhooks = webhook::read_all(root, &tags, &schemas, report);
    schemas.extend(header_types);
    let visited = masking::mark(&schemas, &mut operations);
    let document = Document {
        title: text(root, "/info/title"),
        version: text(root, "/info/version"),
        prefix: source.prefix.clone(),
        tags,
        servers,
        security,
        schemas,
        visited,
        third_party: report.is_tolerant(),
        lenient: false,
        open_enums: BTreeSet::new(),
        operations,
        webhooks,
    };
    names::check(&document, report);
    examples::check(root, &document.schemas, report);
    document
}
