//! Reads named schemas.

use serde_json::Value;

use super::forms::{Form, form};
use super::inline::{read_alias, wrong_map_keys};
use super::json::text;
use super::keywords::only;
use super::merge::merged;
use super::tag::known_tag;
use super::{
    Docs, Schema, SchemaKind, SizeLimits, Tag, Type, attributes, defaults, endless, limits, multipart, object,
    problems, recursion, unions, variants,
};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

pub(super) fn read_all(root: &Value, tags: &[Tag], report: &mut Report<'_>) -> Vec<Schema> {
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    let mut schemas: Vec<_> = schemas
        .into_iter()
        .flatten()
        .map(|(name, value)| read(name, value, tags, report))
        .collect();
    multipart::mark(root, &mut schemas);
    defaults::check_properties(&schemas, report);
    object::check_distinguished(&schemas, report);
    endless::check(&schemas, report);
    recursion::mark(&mut schemas);
    problems::check(&schemas, report);
    for schema in &schemas {
        let at = format!("{}/properties", join("/components/schemas", &schema.name));
        for (name, property) in schema.value["properties"].as_object().into_iter().flatten() {
            map_keys(property, &join(&at, name), &schemas, report);
        }
    }
    schemas
}

fn read(name: &str, value: &Value, tags: &[Tag], report: &mut Report<'_>) -> Schema {
    let at = join("/components/schemas", name);
    let tag = text(value, "/x-tag");
    if value.get("x-tag").is_none() {
        report.error(
            Code::NoTag,
            &at,
            format!("the schema `{name}` has no `x-tag`"),
            "add `x-tag: <tag>`: the module that the type is generated into",
        );
    } else {
        known_tag(&tag, &format!("{at}/x-tag"), tags, report);
    }
    let value = &*merged(value, &at, report);
    let kind = kind(name, value, &at, report);
    Schema {
        name: name.to_owned(),
        tag,
        docs: Docs::read(value, &at, report),
        variants: variants::names(value),
        columns: columns(value, &kind, &at, report),
        attributes: match &kind {
            SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values) => {
                attributes::read(value, values, &at, report)
            }
            // Other schemas have none, which is reported elsewhere.
            _ => Vec::new(),
        },
        size: match kind {
            SchemaKind::Object { .. } => limits::members(value, &at, report),
            _ => SizeLimits::default(),
        },
        kind,
        value: value.clone(),
    }
}

/// The columns of `x-columns`: properties, or a property and one within it.
fn columns(value: &Value, kind: &SchemaKind, at: &str, report: &mut Report<'_>) -> Vec<String> {
    // Enums have none, which is reported elsewhere.
    let (Some(given), SchemaKind::Object { properties, .. }) = (value["x-columns"].as_array(), kind) else {
        return Vec::new();
    };
    let known = properties.iter().map(|property| property.name.as_str());
    let columns: Vec<_> = given.iter().filter_map(Value::as_str).collect();
    for (index, column) in columns.iter().enumerate() {
        let name = column.split_once('.').map_or(*column, |(name, _)| name);
        if !known.clone().any(|known| known == name) {
            report.value_error(
                Code::UnknownColumn,
                &format!("{at}/x-columns/{index}"),
                format!("the schema has no property `{name}`"),
                suggest::advice(name, known.clone()),
            );
        }
    }
    columns.into_iter().map(str::to_owned).collect()
}

fn kind(name: &str, value: &Value, at: &str, report: &mut Report<'_>) -> SchemaKind {
    match form(value) {
        Form::OpenEnum(values) => {
            only(
                value,
                "an open enum",
                &["x-extensible-enum", "x-rust-names", "x-value-attributes"],
                at,
                report,
            );
            let at = join(at, "x-extensible-enum");
            SchemaKind::OpenEnum(variants::read(value, values, &at, report))
        }
        Form::ClosedEnum(values) => {
            only(
                value,
                "a closed enum",
                &["enum", "x-rust-names", "x-value-attributes"],
                at,
                report,
            );
            SchemaKind::ClosedEnum(variants::read(value, values, &join(at, "enum"), report))
        }
        Form::IntegerEnum(key, values) => {
            only(
                value,
                "an enum of integers",
                &[key, "format", "x-rust-names"],
                at,
                report,
            );
            SchemaKind::IntegerEnum(variants::read_integers(value, values, &join(at, key), report))
        }
        Form::Union(keyword, choices) => {
            only(value, "a union", &[keyword, "discriminator"], at, report);
            SchemaKind::Union(unions::read(value, (keyword, choices), at, report))
        }
        Form::Object(properties) => object::read(value, properties, at, report),
        Form::Alias => SchemaKind::Alias(read_alias(name, value, at, report)),
    }
}

/// Checks that the keys of maps are strings or an enum.
fn map_keys(value: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) {
    let target = value["propertyNames"]["$ref"].as_str();
    let name = target.and_then(|target| target.rsplit('/').next());
    let keys = name.and_then(|name| schemas.iter().find(|schema| schema.name == name));
    if keys.is_some_and(|schema| !schema.kind.is_text() && !matches!(schema.kind, SchemaKind::Alias(Type::String(_)))) {
        wrong_map_keys(&format!("{at}/propertyNames"), report);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(below) = value.get(key) {
            map_keys(below, &join(at, key), schemas, report);
        }
    }
}
