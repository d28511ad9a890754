//! Named schemas: objects, open enums, closed enums.

use std::collections::HashSet;

use serde_json::Value;

use super::types::{Type, read_type, wrong_map_keys};
use super::{Area, Docs, defaults, endless, known_area, text};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// A component schema.
pub(crate) struct Schema {
    pub(crate) name: String,
    pub(crate) area: String,
    pub(crate) docs: Docs,
    pub(crate) kind: SchemaKind,
    /// The schema as the document has it.
    pub(crate) value: Value,
}

pub(crate) enum SchemaKind {
    Object {
        properties: Vec<Property>,
        /// Whether members that are not listed are kept.
        open: bool,
    },
    /// Unknown values are kept.
    OpenEnum(Vec<String>),
    /// Unknown values are refused.
    ClosedEnum(Vec<String>),
}

/// A property of an object.
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) docs: Docs,
    pub(crate) ty: Type,
    /// What it is when it is null or absent.
    pub(crate) default: Option<Value>,
    /// Whether its value must not show in `Debug`.
    pub(crate) sensitive: bool,
}

pub(super) fn read_all(root: &Value, areas: &[Area], report: &mut Report<'_>) -> Vec<Schema> {
    let schemas = root.pointer("/components/schemas").and_then(Value::as_object);
    let schemas: Vec<_> = schemas
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| read(name, value, areas, report))
        .collect();
    defaults::check_properties(&schemas, report);
    endless::check(&schemas, report);
    for schema in &schemas {
        let at = format!("{}/properties", join("/components/schemas", &schema.name));
        for (name, property) in schema.value["properties"].as_object().into_iter().flatten() {
            map_keys(property, &join(&at, name), &schemas, report);
        }
    }
    schemas
}

fn read(name: &str, value: &Value, areas: &[Area], report: &mut Report<'_>) -> Option<Schema> {
    let at = join("/components/schemas", name);
    let area = text(value, "/x-area");
    if value.get("x-area").is_none() {
        report.error(
            Code::NoArea,
            &at,
            format!("the schema `{name}` has no `x-area`"),
            "add `x-area: <tag>`: the module that the type is generated into",
        );
    } else {
        known_area(&area, &format!("{at}/x-area"), areas, report);
    }
    Some(Schema {
        name: name.to_owned(),
        area,
        docs: Docs::read(value, &at, report),
        kind: kind(value, &at, report)?,
        value: value.clone(),
    })
}

fn kind(value: &Value, at: &str, report: &mut Report<'_>) -> Option<SchemaKind> {
    if let Some(values) = value.get("x-extensible-enum") {
        only(value, "an open enum", &["x-extensible-enum"], at, report);
        let at = join(at, "x-extensible-enum");
        return Some(SchemaKind::OpenEnum(enum_values(value, values, &at, report)));
    }
    if let Some(values) = value.get("enum") {
        only(value, "a closed enum", &["enum"], at, report);
        return Some(SchemaKind::ClosedEnum(enum_values(
            value,
            values,
            &join(at, "enum"),
            report,
        )));
    }
    let Some(properties) = value.get("properties").and_then(Value::as_object) else {
        let (found, help) = if value["type"] == "object" {
            let help = "give it `properties`, or write `type: object` where it is used, in place of the `$ref`";
            ("no `properties`".to_owned(), help)
        } else {
            let help = "write what it is where it is used, in place of the `$ref`";
            (found_type(value), help)
        };
        let message = format!("a named schema must be an object with `properties`, or an enum; this one has {found}");
        report.error(Code::NamedSchema, at, message, help);
        return None;
    };
    let own = ["properties", "required", "additionalProperties"];
    only(value, "an object", &own, at, report);
    if properties.is_empty() {
        report.error(
            Code::EmptyObject,
            &join(at, "properties"),
            "an object without properties is not carried",
            "write `type: object` where it is used, or name a property",
        );
    }
    if value["type"] != "object" {
        let wanted = "a schema with `properties` must have `type: object`";
        wrong_type(Code::ObjectType, value, wanted, at, report);
    }
    let open = match value.get("additionalProperties") {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(Value::Bool(false)) => {
            report.error(
                Code::ClosedObject,
                &join(at, "additionalProperties"),
                "objects that refuse unknown members are not carried",
                "remove it: unknown members are ignored, or kept with `additionalProperties: true`",
            );
            false
        }
        Some(_) => {
            report.error(
                Code::TypedMembers,
                &join(at, "additionalProperties"),
                "typed `additionalProperties` beside `properties` are not carried",
                "write `additionalProperties: true`, or a property that is a map",
            );
            true
        }
    };
    let required: Vec<_> = value["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (index, name) in required.iter().enumerate() {
        if !properties.contains_key(*name) {
            let help = match suggest::nearest(name, properties.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "add the property, or remove it from `required`".to_owned(),
            };
            report.value_error(
                Code::RequiredUnknown,
                &format!("{at}/required/{index}"),
                format!("`{name}` is required but is no property"),
                help,
            );
        }
    }
    let properties = properties
        .iter()
        .map(|(name, value)| property(name, value, required.contains(&name.as_str()), at, report))
        .collect();
    Some(SchemaKind::Object { properties, open })
}

/// The keys of a map are strings, or those of an enum.
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

/// Keywords that mean nothing for a kind of schema are refused: whoever wrote them expected something of them.
fn only(value: &Value, kind: &str, own: &[&str], at: &str, report: &mut Report<'_>) {
    const ANY: [&str; 8] = [
        "type",
        "title",
        "description",
        "examples",
        "deprecated",
        "x-deprecation",
        "x-area",
        "x-assumption",
    ];
    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
        if !ANY.contains(&key.as_str()) && !own.contains(&key.as_str()) {
            report.error(
                Code::StrayKeyword,
                &join(at, key),
                format!("`{key}` means nothing for {kind}"),
                format!("remove it: of such keywords, {kind} has only {}", own.join(", ")),
            );
        }
    }
}

fn may_be_null(schema: &Value) -> bool {
    let types = schema["type"].as_array();
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
}

/// The type of a schema as the document has it.
fn found_type(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(name)) => format!("`type: {name}`"),
        Some(_) if may_be_null(schema) => "a type and `\"null\"`".to_owned(),
        Some(_) => "another `type`".to_owned(),
        None => "no `type`".to_owned(),
    }
}

/// Refuses the type of a schema, or that it has none.
fn wrong_type(code: Code, schema: &Value, wanted: &str, at: &str, report: &mut Report<'_>) {
    let message = format!("{wanted}; this one has {}", found_type(schema));
    let help = match code {
        _ if may_be_null(schema) => {
            "write the one type here, and `oneOf: [{$ref: ...}, {type: \"null\"}]` where it is used and may be null"
        }
        Code::EnumType => "write `type: string`, and quote the values: others than strings are not carried",
        _ => "write `type: object`",
    };
    if schema.get("type").is_some() {
        report.value_error(code, &join(at, "type"), message, help);
    } else {
        report.error(code, at, message, help);
    }
}

fn enum_values(schema: &Value, values: &Value, at: &str, report: &mut Report<'_>) -> Vec<String> {
    if schema["type"] != "string" {
        let at = at.rsplit_once('/').map_or(at, |(schema, _)| schema);
        wrong_type(Code::EnumType, schema, "an enum must have `type: string`", at, report);
    }
    let values: Vec<_> = values
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if values.is_empty() {
        report.error(
            Code::EmptyEnum,
            at,
            "an enum without values is not carried",
            "name its values",
        );
    }
    let mut known = HashSet::new();
    for (index, value) in values.iter().enumerate() {
        if !known.insert(value) {
            report.value_error(
                Code::EnumValueTwice,
                &format!("{at}/{index}"),
                format!("`{value}` stands here twice"),
                "remove one",
            );
        }
    }
    values.into_iter().map(str::to_owned).collect()
}

fn property(name: &str, value: &Value, required: bool, at: &str, report: &mut Report<'_>) -> Property {
    let at = join(&join(at, "properties"), name);
    Property {
        name: name.to_owned(),
        required,
        docs: Docs::read(value, &at, report),
        ty: read_type(value, &at, report),
        default: value.get("default").cloned(),
        sensitive: value["x-sensitive"] == true,
    }
}
