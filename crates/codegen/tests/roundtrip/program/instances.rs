//! Values of schemas, as strategies: any JSON value that a schema of the document describes, in the one form that the
//! generated types write.

#[path = "scalars.rs"]
mod scalars;

use proptest::prelude::*;
use proptest::strategy::Union;
use scalars::{integer, number, string};
use serde_json::{Map, Value, json};

/// Nesting of values where the schema leaves it open.
const DEPTH: usize = 3;

/// Nesting up to which choices are compared.
const HEIGHT: usize = 6;

/// Keywords that a schema has beside `allOf`.
const CONDITIONS: [&str; 14] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "items",
    "enum",
];

/// The strategies of one document.
pub(crate) struct Instances<'d> {
    pub(crate) document: &'d Value,
    /// The mark of omitted properties: `readOnly` in requests, `writeOnly` in responses.
    pub(crate) hidden: &'static str,
    /// True within a schema whose secrets are masked when it is received: these are masked already.
    pub(crate) masked: bool,
    /// True if enums have values that they do not list.
    pub(crate) open: bool,
}

impl<'d> Instances<'d> {
    /// The values of requests.
    pub(crate) fn sent(document: &'d Value) -> Self {
        Self {
            document,
            hidden: "readOnly",
            masked: false,
            open: false,
        }
    }
}

impl Instances<'_> {
    /// Values of a schema.
    pub(crate) fn of(&self, schema: &Value) -> BoxedStrategy<Value> {
        self.within(schema, DEPTH)
    }

    /// The target of a reference, or the schema itself.
    pub(crate) fn resolve<'v>(&'v self, schema: &'v Value) -> &'v Value {
        match schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
            Some(pointer) => self.resolve(self.document.pointer(pointer).expect("a reference leads somewhere")),
            None => schema,
        }
    }

    /// One schema of all parts of an `allOf` and of the keywords beside it: of one part alone, itself.
    pub(crate) fn merged(&self, schema: &Value) -> Value {
        let parts = schema["allOf"].as_array().expect("parts");
        let beside = schema.as_object().into_iter().flatten();
        let beside: Map<_, _> = beside
            .filter(|(key, _)| CONDITIONS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if let ([one], true) = (parts.as_slice(), beside.is_empty()) {
            return one.clone();
        }
        let parts = parts.iter().map(|part| match self.resolve(part) {
            nested if nested["allOf"].is_array() => self.resolve(&self.merged(nested)).clone(),
            part => part.clone(),
        });
        let parts: Vec<_> = parts.chain([Value::Object(beside)]).collect();
        if !parts.iter().any(|part| part["properties"].is_object()) {
            return limited(&parts);
        }
        let mut whole = json!({ "type": "object", "properties": {}, "required": [] });
        for part in &parts {
            for limit in ["minProperties", "maxProperties"] {
                if let Some(value) = part.get(limit) {
                    whole[limit] = value.clone();
                }
            }
            for (name, property) in part["properties"].as_object().into_iter().flatten() {
                let both = whole["properties"]
                    .get(name)
                    .and_then(|known| self.both(known, property));
                whole["properties"][name] = both.unwrap_or_else(|| property.clone());
            }
            let required = part["required"].as_array().cloned().unwrap_or_default();
            whole["required"].as_array_mut().expect("names").extend(required);
            if let Some(members) = part.get("additionalProperties") {
                whole["additionalProperties"] = members.clone();
            }
        }
        whole
    }

    /// The schema of a member that two parts declare: of two objects, or of lists of these, one with all members.
    fn both(&self, known: &Value, property: &Value) -> Option<Value> {
        let (a, b) = (self.resolve(known), self.resolve(property));
        let is_object = |schema: &Value| schema["properties"].is_object() || schema["allOf"].is_array();
        if known == property || a == b {
            return None;
        }
        match (a.get("items"), b.get("items")) {
            (Some(known), Some(items)) => Some(json!({ "type": "array", "items": self.both(known, items)? })),
            _ if is_object(a) && is_object(b) => Some(json!({ "allOf": [known, property] })),
            _ => None,
        }
    }

    fn within(&self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        if schema["x-masked"] == true && self.hidden == "writeOnly" && !self.masked {
            return Instances { masked: true, ..*self }.within(schema, depth);
        }
        if schema.get("$ref").is_some() {
            return self.within(self.resolve(schema), depth);
        }
        if schema["allOf"].is_array() {
            return self.within(&self.merged(schema), depth);
        }
        if let Some(constant) = schema.get("const") {
            return Just(constant.clone()).boxed();
        }
        if let Some(values) = schema["enum"].as_array() {
            let listed = proptest::sample::select(values.clone());
            let texts = values.iter().all(|value| value.is_string() || value.is_null());
            return match self.open && texts {
                true => prop_oneof![6 => listed, 1 => Just(json!("a value that is not listed"))].boxed(),
                false => listed.boxed(),
            };
        }
        if let Some(values) = schema["x-extensible-enum"].as_array() {
            let known = proptest::sample::select(values.clone());
            let new = if values[0].is_number() {
                json!(1234)
            } else {
                json!("a_new_value")
            };
            return prop_oneof![4 => known, 1 => Just(new)].boxed();
        }
        if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            if depth == 0 && choices.iter().any(|choice| choice["type"] == "null") {
                return Just(Value::Null).boxed();
            }
            let below = depth.saturating_sub(1);
            let heights: Vec<_> = choices.iter().map(|choice| self.height(choice, HEIGHT)).collect();
            let least = heights.iter().min().copied().unwrap_or(0);
            // The choices that end soonest.
            let ends = |height: usize| depth > 0 || height == least;
            let choices = choices.iter().zip(heights).filter(|(_, height)| ends(*height));
            return Union::new(choices.map(|(choice, _)| self.within(choice, below))).boxed();
        }
        if has_members(schema) {
            return self.object(schema, depth);
        }
        let nullable = schema["type"]
            .as_array()
            .is_some_and(|names| names.iter().any(|name| name == "null"));
        let present = self.typed(type_of(schema), schema, depth);
        if nullable {
            prop_oneof![3 => present, 1 => Just(Value::Null)].boxed()
        } else {
            present
        }
    }

    /// The nesting that a value of a schema has at least, up to a limit.
    fn height(&self, schema: &Value, limit: usize) -> usize {
        let Some(below) = limit.checked_sub(1) else { return 0 };
        let schema = self.resolve(schema);
        if let Some(parts) = schema["allOf"].as_array() {
            return parts.iter().map(|part| self.height(part, limit)).max().unwrap_or(0);
        }
        if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            return choices
                .iter()
                .map(|choice| self.height(choice, below))
                .min()
                .unwrap_or(0);
        }
        let required = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let members = required.filter_map(|name| schema["properties"].get(name));
        let items = schema.get("items").filter(|_| schema["minItems"].as_u64() > Some(0));
        let parts = members.chain(items).map(|part| 1 + self.height(part, below));
        parts.max().unwrap_or(0)
    }

    fn typed(&self, name: &str, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        match name {
            "string" if self.masked && schema["format"] == "password" => {
                proptest::sample::select(vec![json!("****"), json!("amqps://me:****@mq.example/v")]).boxed()
            }
            "string" => string(schema).prop_map(Value::from).boxed(),
            "integer" => integer(schema),
            "number" => number(schema),
            "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            "array" => self.list(schema, depth, 0),
            "object" => self.map(schema, depth, 0),
            "null" => Just(Value::Null).boxed(),
            // A schema without a type describes any value.
            _ => prop_oneof![Just(json!(1)), Just(json!("text")), Just(json!([true]))].boxed(),
        }
    }

    fn list(&self, schema: &Value, depth: usize, least: usize) -> BoxedStrategy<Value> {
        let least = least.max(schema["minItems"].as_u64().unwrap_or(0) as usize);
        if depth == 0 && least == 0 {
            return Just(json!([])).boxed();
        }
        let most = (least + 2).min(schema["maxItems"].as_u64().unwrap_or(u64::MAX) as usize);
        let items = self.within(&schema["items"], depth.saturating_sub(1));
        let unique = schema["uniqueItems"] == true;
        let differ =
            move |items: &Vec<Value>| !unique || (1..items.len()).all(|index| !items[..index].contains(&items[index]));
        proptest::collection::vec(items, least..=most)
            .prop_filter("items that differ", differ)
            .prop_map(Value::from)
            .boxed()
    }

    fn map(&self, schema: &Value, depth: usize, least: usize) -> BoxedStrategy<Value> {
        let least = least.max(schema["minProperties"].as_u64().unwrap_or(0) as usize);
        let most = (least + 2).min(schema["maxProperties"].as_u64().unwrap_or(u64::MAX) as usize);
        if depth == 0 && least == 0 {
            return Just(json!({})).boxed();
        }
        let values = match &schema["additionalProperties"] {
            values @ Value::Object(_) => self.within(values, depth.saturating_sub(1)),
            // Members that the document does not describe.
            _ => prop_oneof![any::<i32>().prop_map(Value::from), Just(json!({ "a": [null, "b"] }))].boxed(),
        };
        let keys = match schema.get("propertyNames") {
            Some(names) => self
                .within(names, depth)
                .prop_filter_map("a name", |name| name.as_str().map(str::to_owned))
                .boxed(),
            None => "[a-z]{1,6}".boxed(),
        };
        proptest::collection::btree_map(keys, values, least..=most)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
            .boxed()
    }

    fn object(&self, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
        let mut members: BoxedStrategy<Map<String, Value>> = Just(Map::new()).boxed();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if property[self.hidden] == true {
                continue;
            }
            let required = schema["required"]
                .as_array()
                .is_some_and(|names| names.iter().any(|required| required == name));
            let values = match self.member(property, required, depth) {
                Some(values) => values,
                None => continue,
            };
            let name = name.clone();
            members = (members, values)
                .prop_map(move |(mut members, value)| {
                    members.extend(value.map(|value| (name.clone(), value)));
                    members
                })
                .boxed();
        }
        if schema["additionalProperties"] == true {
            let extra = proptest::option::of(any::<bool>());
            members = (members, extra)
                .prop_map(|(mut members, extra)| {
                    members.extend(extra.map(|extra| ("undeclared".to_owned(), json!(extra))));
                    members
                })
                .boxed();
        }
        if schema["additionalProperties"].is_object() {
            let extra = proptest::option::of(self.within(&schema["additionalProperties"], depth.saturating_sub(1)));
            members = (members, extra)
                .prop_map(|(mut members, extra)| {
                    members.extend(extra.map(|extra| ("undeclared".to_owned(), extra)));
                    members
                })
                .boxed();
        }
        let limits = |key: &str| schema[key].as_u64().map(|limit| limit as usize);
        let (least, most) = (limits("minProperties"), limits("maxProperties"));
        members
            .prop_filter("so many members", move |members| {
                least.is_none_or(|least| members.len() >= least) && most.is_none_or(|most| members.len() <= most)
            })
            .prop_map(Value::Object)
            .boxed()
    }

    /// Values of a property; none for an absent one. Of equivalent values, the one that the
    /// generated types write: absent rather than null or empty, and never the default by its absence.
    fn member(&self, property: &Value, required: bool, depth: usize) -> Option<BoxedStrategy<Option<Value>>> {
        if required && property["x-optional-for-readers"] != true {
            return Some(self.within(property, depth).prop_map(Some).boxed());
        }
        let defaulted = property.get("default").is_some_and(|default| !default.is_null());
        // Values that the schema requires are made at any depth.
        let below = match depth.checked_sub(1) {
            Some(below) => below,
            None if required || defaulted => 0,
            None => return None,
        };
        if property["x-distinguish-null"] == true {
            return Some(proptest::option::of(self.within(property, below)).boxed());
        }
        let schema = self.resolve(property);
        let whole = schema["allOf"]
            .is_array()
            .then(|| self.resolve(&self.merged(schema)).clone());
        let schema = whole.as_ref().unwrap_or(schema);
        let values = match type_of(schema) {
            "array" => self.list(schema, below, 1),
            "object" if !has_members(schema) => self.map(schema, below, 1),
            _ => self.within(&without_null(schema), below),
        };
        // Any value may be null.
        let values = values.prop_filter("absent rather than null", |value| !value.is_null());
        if required || defaulted {
            return Some(values.prop_map(Some).boxed());
        }
        Some(proptest::option::of(values).boxed())
    }
}

/// The conditions of several schemas without properties.
fn limited(parts: &[Value]) -> Value {
    let mut whole = json!({});
    for (key, value) in parts.iter().filter_map(|part| part.as_object()).flatten() {
        let known = &whole[key];
        let least = key.starts_with("max") || key == "exclusiveMaximum";
        let stricter = match (known.as_f64(), value.as_f64()) {
            (Some(known), Some(value)) if least => value < known,
            (Some(known), Some(value)) => value > known,
            _ => true,
        };
        if stricter {
            whole[key] = value.clone();
        }
    }
    whole
}

/// Returns whether a schema is an object with members, rather than a map.
fn has_members(schema: &Value) -> bool {
    schema["properties"]
        .as_object()
        .is_some_and(|members| !members.is_empty())
}

/// The type of a schema, without null.
pub(crate) fn type_of(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(name) => name,
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or("null"),
        _ => "",
    }
}

/// A schema that null does not fit.
fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    for keyword in ["oneOf", "anyOf"] {
        if let Some(choices) = schema.get_mut(keyword).and_then(Value::as_array_mut) {
            choices.retain(|choice| choice["type"] != "null");
        }
    }
    if let Some(names) = schema.get_mut("type").and_then(Value::as_array_mut) {
        names.retain(|name| name != "null");
    }
    schema
}
