//! Values just outside of a rule: for each rule of a valid value, an invalid one.

use serde_json::{Value, json};

use crate::instances::{Instances, type_of};

/// A value that breaks a rule, and the pointer of the breaking part.
pub(crate) struct Outside {
    pub(crate) pointer: String,
    pub(crate) value: Value,
}

/// One value for each rule that the parts of a value have.
pub(crate) fn outside(instances: &Instances<'_>, schema: &Value, value: &Value) -> Vec<Outside> {
    let mut parts = Vec::new();
    part(instances, schema, value, "", &mut parts);
    let whole = |(place, pointer, part): (String, String, Value)| {
        let mut whole = value.clone();
        *whole.pointer_mut(&place).expect("a part") = part;
        Outside { pointer, value: whole }
    };
    parts.into_iter().map(whole).collect()
}

/// Location of a part, location of the violation, and the part in its place.
type Parts = Vec<(String, String, Value)>;

fn part(instances: &Instances<'_>, schema: &Value, value: &Value, at: &str, parts: &mut Parts) {
    let schema = instances.resolve(schema);
    if schema["allOf"].is_array() {
        return part(instances, &instances.merged(schema), value, at, parts);
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let kind = |choice: &&Value| is_of_kind(instances.resolve(choice), value);
        let mut choices = choices.iter().filter(kind);
        // Of two of the same kind, a value outside of one may be of the other.
        if let (Some(choice), None) = (choices.next(), choices.next()) {
            part(instances, choice, value, at, parts);
        }
        return;
    }
    let mut here = |value: Value| parts.push((at.to_owned(), at.to_owned(), value));
    let whole = |key: &str| schema[key].as_u64().map(|limit| limit as usize);
    match value {
        Value::String(text) => {
            let count = text.chars().count();
            if let Some(least) = whole("minLength").filter(|least| *least > 0) {
                here(text.chars().take(least - 1).collect::<String>().into());
            }
            if let Some(most) = whole("maxLength") {
                here(format!("{text}{}", "a".repeat(most + 1 - count)).into());
            }
            if schema["pattern"].is_string() {
                here(format!("{text}~").into());
            }
        }
        Value::Number(number) if number.is_f64() || type_of(schema) == "number" => {
            for (key, value) in limits(schema, 0.125) {
                here(match key {
                    "multipleOf" => json!(number.as_f64().expect("a number") + value / 2.0),
                    _ => json!(value),
                });
            }
        }
        Value::Number(number) => {
            for (key, value) in limits(schema, 1.0) {
                match key {
                    "multipleOf" if value < 2.0 => {}
                    "multipleOf" => here(json!(number.as_i64().expect("a whole number") + 1)),
                    _ => here(json!(value as i64)),
                }
            }
        }
        Value::Array(items) => {
            // The client does not send an empty list that is optional.
            if let Some(least) = whole("minItems").filter(|least| *least > 1) {
                here(items[..least - 1].into());
            }
            if let (Some(most), Some(first)) = (whole("maxItems"), items.first()) {
                let more = std::iter::repeat_n(first, most + 1 - items.len());
                here(items.iter().chain(more).cloned().collect());
            }
            if let (true, Some(first)) = (schema["uniqueItems"] == true, items.first()) {
                let repeated = items.iter().chain([first]).cloned().collect();
                parts.push((at.to_owned(), format!("{at}/{}", items.len()), repeated));
            }
            if let Some(first) = items.first() {
                part(instances, &schema["items"], first, &format!("{at}/0"), parts);
            }
        }
        Value::Object(members) => {
            if !schema["properties"].is_object() {
                if let Some(least) = whole("minProperties").filter(|least| *least > 1) {
                    here(members.clone().into_iter().take(least - 1).collect());
                }
                if let (Some(most), Some(first)) = (whole("maxProperties"), members.values().next()) {
                    let more = (members.len()..=most).map(|index| (format!("more{index}"), first.clone()));
                    here(members.clone().into_iter().chain(more).collect());
                }
            }
            for (name, member) in members {
                let schema = match schema["properties"].get(name) {
                    Some(property) => property,
                    None => &schema["additionalProperties"],
                };
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                part(instances, schema, member, &at, parts);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The limits of a number, each with the value just outside of it.
fn limits(schema: &Value, step: f64) -> impl Iterator<Item = (&'static str, f64)> {
    let limits = [
        ("minimum", -step),
        ("maximum", step),
        ("exclusiveMinimum", 0.0),
        ("exclusiveMaximum", 0.0),
        ("multipleOf", 0.0),
    ];
    limits.into_iter().filter_map(move |(key, step)| Some((key, schema[key].as_f64()? + step)))
}

fn is_of_kind(schema: &Value, value: &Value) -> bool {
    let constants = schema["properties"].as_object().into_iter().flatten();
    let mut constants = constants.filter_map(|(name, property)| Some((name, property.get("const")?)));
    let kind = match value {
        Value::String(_) => "string",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => return ["integer", "number"].contains(&type_of(schema)),
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
        Value::Bool(_) => "boolean",
    };
    type_of(schema) == kind && constants.all(|(name, constant)| value[name] == *constant)
}
