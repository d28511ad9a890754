//! The checked document: what every emitter reads, so that none of them looks at raw JSON.

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
pub(crate) use parameter::{LIST, Location, OBJECT, Parameter};
pub(crate) use schema::{Property, Schema, SchemaKind};
pub(crate) use security::{Requirement, SecurityScheme};
pub(crate) use server::Server;
pub(crate) use types::Type;
pub(crate) use webhook::Webhook;

/// The document, read.
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) version: String,
    /// The tags: one module each in every generated crate.
    pub(crate) areas: Vec<Area>,
    /// The top-level server first, then those of paths.
    pub(crate) servers: Vec<Server>,
    pub(crate) security: Vec<SecurityScheme>,
    pub(crate) schemas: Vec<Schema>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) webhooks: Vec<Webhook>,
}

/// A tag of the document.
pub(crate) struct Area {
    pub(crate) name: String,
    pub(crate) description: String,
}

impl Area {
    /// What the document says of it, or its name.
    pub(crate) fn paragraph(&self) -> String {
        match self.description.trim() {
            "" => format!("`{}`", self.name),
            description => rustdoc(description),
        }
    }
}

impl Document {
    /// The operations of an area, in the document's order.
    pub(crate) fn operations_of<'a>(&'a self, area: &'a Area) -> impl Iterator<Item = &'a Operation> {
        self.operations.iter().filter(|operation| operation.area == area.name)
    }

    /// Reads a document whose form was checked; what has no meaning to the emitters is reported.
    pub(crate) fn read(source: &Source<'_>, report: &mut Report<'_>) -> Self {
        let root = &source.value;
        let areas = areas(root, report);
        let servers = server::read_all(root, report);
        let security = security::read_all(root, report);
        let schemas = schema::read_all(root, &areas, report);
        parameter::check_components(root, &schemas, report);
        let operations = operation::read_all(root, &areas, &servers, &security, &schemas, report);
        let webhooks = webhook::read_all(root, &areas, &schemas, report);
        let document = Self {
            title: text(root, "/info/title"),
            version: text(root, "/info/version"),
            areas,
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

fn areas(root: &Value, report: &mut Report<'_>) -> Vec<Area> {
    let mut areas: Vec<Area> = Vec::new();
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
        } else if areas.iter().any(|area| area.name == name) {
            let message = format!("the tag `{name}` stands here twice");
            report.value_error(Code::DuplicateTag, &at, message, "remove one");
        }
        areas.push(Area {
            description: text(tag, "/description"),
            name,
        });
    }
    areas
}

/// The one tag of an operation.
fn area_of(value: &Value, at: &str, areas: &[Area], report: &mut Report<'_>) -> String {
    let tags: Vec<_> = value["tags"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match tags.as_slice() {
        [one] => known_area(one, &format!("{at}/tags/0"), areas, report),
        _ => {
            let found = match tags.len() {
                0 => "none".to_owned(),
                count => count.to_string(),
            };
            let known: Vec<_> = areas.iter().map(|area| area.name.as_str()).collect();
            report.error(
                Code::OneTag,
                &format!("{at}/tags"),
                format!("an operation must have exactly one tag; this one has {found}"),
                format!(
                    "name the module that it is generated into, one of: {}",
                    known.join(", ")
                ),
            );
        }
    }
    tags.first().copied().unwrap_or_default().to_owned()
}

fn known_area(name: &str, at: &str, areas: &[Area], report: &mut Report<'_>) {
    // A tag without a name is refused already; the one that is meant may be it.
    if !areas.iter().any(|area| area.name == name || area.name.is_empty()) {
        let known = areas.iter().map(|area| area.name.as_str());
        report.value_error(
            Code::UnknownTag,
            at,
            format!("the tag `{name}` is not declared"),
            suggest::advice_or(name, known, "add it to the document's `tags`"),
        );
        report.unless_refused("/tags");
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

/// The object that `value` is, or the component of a kind that it refers to, with its pointer.
fn resolve<'v>(root: &'v Value, value: &'v Value, kind: &str, at: &str) -> (&'v Value, String) {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    let component = target
        .filter(|pointer| pointer.starts_with(&format!("/components/{kind}/")))
        .and_then(|pointer| Some((root.pointer(pointer)?, pointer.to_owned())));
    // A reference that leads elsewhere is refused already.
    component.unwrap_or_else(|| (value, at.to_owned()))
}
