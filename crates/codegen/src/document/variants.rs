//! Named schemas that are enums, and the type that a named schema must have.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::forms::type_names;
use crate::Code;
use crate::source::{Report, join};

fn may_be_null(schema: &Value) -> bool {
    let types = schema["type"].as_array();
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
}

/// The type of a schema in the document.
pub(super) fn found_type(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(name)) => format!("`type: {name}`"),
        Some(_) if may_be_null(schema) => "a type and `\"null\"`".to_owned(),
        Some(_) => "another `type`".to_owned(),
        None => "no `type`".to_owned(),
    }
}

/// Rejects a wrong or missing type of a schema.
pub(super) fn wrong_type(code: Code, schema: &Value, wanted: &str, at: &str, report: &mut Report<'_>) {
    let message = format!("{wanted}; this one has {}", found_type(schema));
    let help = match code {
        Code::EnumType => "write the type of its values, `string` or `integer`",
        _ => "write `type: object`",
    };
    if schema.get("type").is_some() {
        report.value_error(code, &join(at, "type"), message, help);
    } else {
        report.error(code, at, message, help);
    }
}

pub(super) fn read(schema: &Value, values: &Value, at: &str, report: &mut Report<'_>) -> Vec<String> {
    if !matches!(type_names(schema).as_slice(), [] | ["string"]) {
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
            "an enum without values is unsupported",
            "add its values",
        );
    }
    let mut known = HashSet::new();
    for (index, value) in values.iter().enumerate() {
        if !known.insert(value) {
            report.value_error(
                Code::EnumValueTwice,
                &format!("{at}/{index}"),
                format!("`{value}` is listed twice"),
                "remove one",
            );
        }
    }
    values.into_iter().map(str::to_owned).collect()
}

/// The values of an enum of integers.
pub(super) fn read_integers(schema: &Value, values: &Value, at: &str, report: &mut Report<'_>) -> Vec<i64> {
    if !matches!(type_names(schema).as_slice(), [] | ["integer" | "number"]) {
        let at = at.rsplit_once('/').map_or(at, |(schema, _)| schema);
        wrong_type(
            Code::EnumType,
            schema,
            "an enum of integers must have `type: integer`",
            at,
            report,
        );
    }
    let mut known = HashSet::new();
    for (index, value) in values.as_array().into_iter().flatten().enumerate() {
        if !known.insert(value) {
            let message = format!("`{value}` is listed twice");
            report.value_error(Code::EnumValueTwice, &format!("{at}/{index}"), message, "remove one");
        }
    }
    values
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .collect()
}

/// The names that the document chooses for variants of an enum, by their values.
pub(super) fn names(schema: &Value) -> BTreeMap<String, String> {
    let names = schema["x-rust-names"].as_object().into_iter().flatten();
    names
        .filter_map(|(value, name)| Some((value.clone(), name.as_str()?.to_owned())))
        .collect()
}
