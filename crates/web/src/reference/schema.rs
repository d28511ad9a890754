//! Schemas: the fields of an object, each with its type, its rules and its own fields.

use maud::{Markup, html};
use serde_json::Value;

use super::document::{Document, members, text};
use super::prose::prose;

/// Maximum number of values that are shown unfolded.
const SHOWN_VALUES: usize = 8;

/// Schema without the wrappers around it: references and null.
struct Shape<'a> {
    /// Inner schema.
    schema: &'a Value,
    /// Outer schema, which may describe it further.
    used: &'a Value,
    /// Name in the document.
    name: Option<&'a str>,
    /// True if it may be null.
    nullable: bool,
}

impl<'a> Shape<'a> {
    fn of(document: &'a Document, used: &'a Value) -> Self {
        let mut shape = Self {
            schema: used,
            used,
            name: None,
            nullable: false,
        };
        loop {
            if let Some(reference) = shape.schema["$ref"].as_str() {
                shape.name = reference.rsplit('/').next();
                shape.schema = document.resolve(shape.schema);
            } else if let Some([inner, null]) = shape.schema["oneOf"].as_array().map(Vec::as_slice)
                && null["type"] == "null"
            {
                shape.nullable = true;
                shape.schema = inner;
            } else {
                return shape;
            }
        }
    }

    fn kind(&self) -> &'a str {
        match &self.schema["type"] {
            Value::String(kind) => kind,
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .find(|kind| *kind != "null")
                .unwrap_or(""),
            _ if self.schema["x-extensible-enum"].is_array() => "string",
            _ => "any",
        }
    }

    fn is_nullable(&self) -> bool {
        let kinds = self.schema["type"].as_array().into_iter().flatten();
        self.nullable || kinds.into_iter().any(|kind| kind == "null")
    }

    fn description(&self) -> &'a str {
        match text(self.used, "description") {
            "" => text(self.schema, "description"),
            described => described,
        }
    }

    /// Returns the values of an enum, and true if there may be others.
    fn values(&self) -> Option<(&'a [Value], bool)> {
        let open = self.schema["x-extensible-enum"].as_array();
        let closed = || self.schema["enum"].as_array();
        open.map(|values| (values.as_slice(), true))
            .or_else(|| closed().map(|values| (values.as_slice(), false)))
    }

    /// Returns the schema of a list's items, or of a map's values.
    fn inner(&self) -> Option<&'a Value> {
        match self.kind() {
            "array" => self.schema.get("items"),
            "object" if self.schema["properties"].is_null() => self
                .schema
                .get("additionalProperties")
                .filter(|value| value.is_object()),
            _ => None,
        }
    }
}

/// Returns the type as text, such as `array of User`.
pub(super) fn type_of(document: &Document, schema: &Value) -> String {
    let shape = Shape::of(document, schema);
    let name = match (shape.inner(), shape.kind()) {
        (Some(inner), "array") => format!("array of {}", type_of(document, inner)),
        (Some(inner), _) => format!("map of {}", type_of(document, inner)),
        (None, "object") => shape.name.unwrap_or("object").to_owned(),
        (None, kind) => match shape.schema["format"].as_str() {
            Some("int32" | "int64" | "float" | "double") | None => kind.to_owned(),
            Some(format) => format!("{kind} ({format})"),
        },
    };
    match shape.is_nullable() {
        true => format!("{name} or null"),
        false => name,
    }
}

/// Returns the values of an enum, and true if there may be others.
pub(super) fn values<'a>(document: &'a Document, schema: &'a Value) -> Option<(&'a [Value], bool)> {
    Shape::of(document, schema).values()
}

/// Returns the type of a value, such as `integer`.
pub(super) fn kind<'a>(document: &'a Document, schema: &'a Value) -> &'a str {
    Shape::of(document, schema).kind()
}

/// Renders a body: its rules, and the fields of its objects.
pub(super) fn body(document: &Document, schema: &Value) -> Markup {
    html! {
        (rules(document, schema))
        (nested(document, schema, true, &mut Vec::new()))
    }
}

/// Renders a named value with its description: a field, a parameter, a header.
pub(super) fn field(document: &Document, name: &str, required: bool, outer: &Value, schema: &Value) -> Markup {
    entry(document, name, required, outer, schema, &mut Vec::new())
}

fn entry<'a>(
    document: &'a Document,
    name: &str,
    required: bool,
    outer: &'a Value,
    schema: &'a Value,
    within: &mut Vec<&'a str>,
) -> Markup {
    let described = match text(outer, "description") {
        "" => Shape::of(document, schema).description(),
        described => described,
    };
    html! {
        li.field {
            p.head {
                code.name { (name) }
                " " span.type { (type_of(document, schema)) }
                @if required { " " span.required { "required" } }
                @if outer["deprecated"] == true { " " span.deprecated { "deprecated" } }
            }
            (prose(described))
            (deprecation(outer))
            (rules(document, schema))
            (nested(document, schema, false, within))
        }
    }
}

/// Advice in place of a deprecated value.
pub(super) fn deprecation(value: &Value) -> Markup {
    let Value::Object(why) = &value["x-deprecation"] else {
        return html! {};
    };
    let part = |name: &str| why.get(name).and_then(Value::as_str);
    html! {
        p.advice {
            "Deprecated"
            @if let Some(date) = part("date") { ", until " (date) }
            ". "
            @if let Some(advice) = part("advice") { (advice) }
        }
    }
}

/// Limits, the default, and the values of an enum: of the value itself, or of a list's items.
fn rules(document: &Document, schema: &Value) -> Markup {
    let shape = Shape::of(document, schema);
    let schema = shape.schema;
    let mut said = Vec::new();
    let mut between = |least: &str, most: &str, what: &str| {
        said.push(match (&schema[least], &schema[most]) {
            (Value::Null, Value::Null) => return,
            (least, Value::Null) => format!("at least {least}{what}"),
            (Value::Null, most) => format!("at most {most}{what}"),
            (least, most) if least == most => format!("{least}{what}"),
            (least, most) => format!("{least} to {most}{what}"),
        });
    };
    between("minimum", "maximum", "");
    between("minLength", "maxLength", " characters");
    between("minItems", "maxItems", " items");
    if let Some(pattern) = schema["pattern"].as_str() {
        said.push(format!("matches {pattern}"));
    }
    match shape.used.get("default").or_else(|| schema.get("default")) {
        None | Some(Value::Null) => {}
        Some(Value::String(default)) => said.push(format!("default {default}")),
        Some(default) => said.push(format!("default {default}")),
    }
    html! {
        @if !said.is_empty() { p.rules { (said.join("; ")) } }
        @if let Some((values, open)) = shape.values() {
            @let listed = html! {
                @for value in values {
                    code { @match value { Value::String(text) => (text), other => (other) } } " "
                }
            };
            @if values.len() > SHOWN_VALUES {
                details.values {
                    summary { (values.len()) " values" @if open { ", and others may come" } }
                    p { (listed) }
                }
            } @else {
                p.values { (listed) @if open { "and others may come" } }
            }
        } @else if let Some(inner) = shape.inner() {
            @if kind(document, inner) != "object" { (rules(document, inner)) }
        }
    }
}

/// Fields of the objects in a value, folded unless they are the subject of the page.
fn nested<'a>(document: &'a Document, schema: &'a Value, open: bool, within: &mut Vec<&'a str>) -> Markup {
    let mut shape = Shape::of(document, schema);
    while let Some(inner) = shape.inner() {
        shape = Shape::of(document, inner);
    }
    let Value::Object(properties) = &shape.schema["properties"] else {
        return html! {};
    };
    // A recursive schema is named, and not shown again.
    if let Some(name) = shape.name {
        if within.contains(&name) {
            return html! {};
        }
        within.push(name);
    }
    let required = shape.schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let fields = html! {
        ul.fields {
            @for (name, property) in properties {
                (entry(document, name, is_required(name), property, property, within))
            }
        }
    };
    if shape.name.is_some() {
        within.pop();
    }
    html! {
        @if open { (fields) } @else {
            details.nested {
                summary { "Fields of " (shape.name.unwrap_or("the object")) }
                (fields)
            }
        }
    }
}

/// Renders the headers of a response.
pub(super) fn headers(document: &Document, response: &Value) -> Markup {
    html! {
        details.nested {
            summary { "Headers" }
            ul.fields {
                @for (name, header) in members(&response["headers"]) {
                    @let header = document.resolve(header);
                    (field(document, name, false, header, &header["schema"]))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::document::Document;
    use super::{body, type_of};

    fn document() -> Document {
        Document::new(str::to_owned)
    }

    #[test]
    fn types_are_words() {
        let document = document();
        let named = json!({"$ref": "#/components/schemas/User"});
        let cases: [(Value, &str); 6] = [
            (
                json!({"type": ["string", "null"], "format": "date"}),
                "string (date) or null",
            ),
            (json!({"type": "integer", "format": "int64"}), "integer"),
            (json!({"type": "array", "items": &named}), "array of User"),
            (
                json!({"type": "object", "additionalProperties": {"type": "number"}}),
                "map of number",
            ),
            (json!({"oneOf": [&named, {"type": "null"}]}), "User or null"),
            (json!({"$ref": "#/components/schemas/OrderStatus"}), "string"),
        ];
        for (schema, words) in cases {
            assert_eq!(type_of(&document, &schema), words);
        }
    }

    #[test]
    fn every_schema_is_shown_with_all_its_fields() {
        let document = document();
        for (name, schema) in document.members("/components/schemas") {
            let shown = body(&document, schema).into_string();
            for field in schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(|fields| fields.keys())
            {
                assert!(
                    shown.contains(&format!("<code class=\"name\">{field}</code>")),
                    "{name}.{field}"
                );
            }
        }
    }

    #[test]
    fn what_holds_itself_is_shown_once() {
        let list = "#/components/schemas/List";
        let holding = json!({"components": {"schemas": {"List": {
            "type": "object", "properties": {"next": {"$ref": list}}
        }}}});
        let document = Document::new(|_| holding.to_string());
        let shown = body(&document, &json!({"$ref": list})).into_string();
        assert_eq!(shown.matches("class=\"name\"").count(), 1, "{shown}");
    }
}
