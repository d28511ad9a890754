//! Reads named schemas.

use serde_json::Value;

use super::inline::wrong_map_keys;
use super::json::text;
use super::keywords::only;
use super::tag::known_tag;
use super::{Docs, Schema, SchemaKind, Tag, defaults, endless, object, recursion, variants};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

pub(super) fn read_all(root: &Value, tags: &[Tag], report: &mut Report<'_>) -> Vec<Schema> {
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    let mut schemas: Vec<_> = schemas
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| read(name, value, tags, report))
        .collect();
    defaults::check_properties(&schemas, report);
    endless::check(&schemas, report);
    recursion::mark(&mut schemas);
    for schema in &schemas {
        let at = format!("{}/properties", join("/components/schemas", &schema.name));
        for (name, property) in schema.value["properties"].as_object().into_iter().flatten() {
            map_keys(property, &join(&at, name), &schemas, report);
        }
    }
    schemas
}

fn read(name: &str, value: &Value, tags: &[Tag], report: &mut Report<'_>) -> Option<Schema> {
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
    let kind = kind(value, &at, report)?;
    Some(Schema {
        name: name.to_owned(),
        tag,
        docs: Docs::read(value, &at, report),
        columns: columns(value, &kind, &at, report),
        kind,
        value: value.clone(),
    })
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

fn kind(value: &Value, at: &str, report: &mut Report<'_>) -> Option<SchemaKind> {
    if let Some(values) = value.get("x-extensible-enum") {
        only(value, "an open enum", &["x-extensible-enum"], at, report);
        let at = join(at, "x-extensible-enum");
        return Some(SchemaKind::OpenEnum(variants::read(value, values, &at, report)));
    }
    if let Some(values) = value.get("enum") {
        only(value, "a closed enum", &["enum"], at, report);
        return Some(SchemaKind::ClosedEnum(variants::read(
            value,
            values,
            &join(at, "enum"),
            report,
        )));
    }
    let Some(properties) = value.get("properties").and_then(Value::as_object) else {
        let (found, help) = if value["type"] == "object" {
            let help = "give it `properties`, or write `type: object` inline instead of the `$ref`";
            ("no `properties`".to_owned(), help)
        } else {
            let help = "write it inline instead of the `$ref`";
            (variants::found_type(value), help)
        };
        let message = format!("a named schema must be an object with `properties`, or an enum; this one has {found}");
        report.error(Code::NamedSchema, at, message, help);
        return None;
    };
    Some(object::read(value, properties, at, report))
}

/// Checks that the keys of maps are strings or an enum.
fn map_keys(value: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) {
    let target = value["propertyNames"]["$ref"].as_str();
    let name = target.and_then(|target| target.rsplit('/').next());
    let keys = name.and_then(|name| schemas.iter().find(|schema| schema.name == name));
    if keys.is_some_and(|schema| matches!(schema.kind, SchemaKind::Object { .. })) {
        wrong_map_keys(&format!("{at}/propertyNames"), report);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(below) = value.get(key) {
            map_keys(below, &join(at, key), schemas, report);
        }
    }
}
