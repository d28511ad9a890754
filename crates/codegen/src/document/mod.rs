//! The checked document. Emitters read this rather than raw JSON.

mod conditional;
mod defaults;
mod docs;
mod endless;
mod examples;
mod names;
mod object;
mod operation;
mod pagination;
mod parameter;
mod path;
mod reserved;
mod response;
mod rules;
mod scalars;
mod schema;
mod scope;
mod security;
mod server;
mod types;
mod values;
mod variants;
mod webhook;

use serde_json::Value;

use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, Source};
use crate::suggest;

pub(crate) use docs::Docs;
pub(crate) use object::optional_for_readers;
pub(crate) use operation::Operation;
pub(crate) use pagination::{Pagination, PaginationStyle};
pub(crate) use parameter::{LIST, OBJECT, ParamLocation, Parameter};
pub(crate) use schema::{Property, Schema, SchemaKind};
pub(crate) use security::{Requirement, SecurityScheme};
pub(crate) use server::Server;
pub(crate) use types::Type;
pub(crate) use webhook::Webhook;

/// The typed document.
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) version: String,
    /// The tags: one module each in every generated crate.
    pub(crate) tags: Vec<Tag>,
    /// The top-level server first, then those of paths.
    pub(crate) servers: Vec<Server>,
    pub(crate) security: Vec<SecurityScheme>,
    pub(crate) schemas: Vec<Schema>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) webhooks: Vec<Webhook>,
}

/// A tag of the document.
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) description: String,
}

impl Tag {
    /// Its description, or its name.
    pub(crate) fn paragraph(&self) -> String {
        match self.description.trim() {
            "" => format!("`{}`", self.name),
            description => rustdoc(description),
        }
    }
}

impl Document {
    /// The operations of a tag, in the document's order.
    pub(crate) fn operations_of<'a>(&'a self, tag: &'a Tag) -> impl Iterator<Item = &'a Operation> {
        self.operations.iter().filter(|operation| operation.tag == tag.name)
    }

    /// Reads a document whose syntax was checked; what the emitters do not support is reported.
    pub(crate) fn read(source: &Source<'_>, report: &mut Report<'_>) -> Self {
        let root = &source.value;
        let tags = tags(root, report);
        let servers = server::read_all(root, report);
        let security = security::read_all(root, report);
        let schemas = schema::read_all(root, &tags, report);
        parameter::check_components(root, &schemas, report);
        let operations = operation::read_all(root, &tags, &servers, &security, &schemas, report);
        let webhooks = webhook::read_all(root, &tags, &schemas, report);
        let document = Self {
            title: text(root, "/info/title"),
            version: text(root, "/info/version"),
            tags,
            servers,
            security,
            schemas,
            operations,
            webhooks,
        };
        names::check(&document, report);
        examples::check(root, &document.schemas, report);
        document
    }
}

fn tags(root: &Value, report: &mut Report<'_>) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    for (index, tag) in root["tags"].as_array().into_iter().flatten().enumerate() {
        let at = format!("/tags/{index}/name");
        let name = text(tag, "/name");
        if !names::is_module(&name) {
            report.value_error(
                Code::TagName,
                &at,
                format!("the tag `{name}` cannot name a module"),
                names::module_help(&name),
            );
        } else if tags.iter().any(|tag| tag.name == name) {
            let message = format!("the tag `{name}` is declared twice");
            report.value_error(Code::DuplicateTag, &at, message, "remove one");
        }
        tags.push(Tag {
            description: text(tag, "/description"),
            name,
        });
    }
    tags
}

/// The one tag of an operation.
fn tag_of(value: &Value, at: &str, tags: &[Tag], report: &mut Report<'_>) -> String {
    let own: Vec<_> = value["tags"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match own.as_slice() {
        [one] => known_tag(one, &format!("{at}/tags/0"), tags, report),
        _ => {
            let found = match own.len() {
                0 => "none".to_owned(),
                count => count.to_string(),
            };
            let known: Vec<_> = tags.iter().map(|tag| tag.name.as_str()).collect();
            report.error(
                Code::OneTag,
                &format!("{at}/tags"),
                format!("an operation must have exactly one tag; this one has {found}"),
                format!(
                    "write the tag of the module to generate it into, one of: {}",
                    known.join(", ")
                ),
            );
        }
    }
    own.first().copied().unwrap_or_default().to_owned()
}

fn known_tag(name: &str, at: &str, tags: &[Tag], report: &mut Report<'_>) {
    // A tag without a name was already rejected, and may be the intended one.
    if !tags.iter().any(|tag| tag.name == name || tag.name.is_empty()) {
        let known = tags.iter().map(|tag| tag.name.as_str());
        report.value_error(
            Code::UnknownTag,
            at,
            format!("the tag `{name}` is not declared"),
            suggest::advice_or(name, known, "add it to the document's `tags`"),
        );
        report.unless_rejected("/tags");
    }
}

/// The string at a pointer, empty where there is none.
fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The object itself, or the component that it refers to, with its pointer.
fn resolve<'v>(root: &'v Value, value: &'v Value, kind: &str, at: &str) -> (&'v Value, String) {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    let component = target
        .filter(|pointer| pointer.starts_with(&format!("/components/{kind}/")))
        .and_then(|pointer| Some((root.pointer(pointer)?, pointer.to_owned())));
    // A reference to anything else was already rejected.
    component.unwrap_or_else(|| (value, at.to_owned()))
}
