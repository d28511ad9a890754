//! Attributes of the values of an enum: `x-value-attributes`.

use std::mem::{Discriminant, discriminant};

use serde_json::Value;

use super::forms::reference;
use crate::Code;
use crate::identifier::is_snake;
use crate::source::{Report, join};
use crate::suggest;

/// Methods that every enum has.
const METHODS: [&str; 14] = [
    "as_str",
    "clone",
    "cmp",
    "deserialize",
    "eq",
    "fmt",
    "from",
    "from_str",
    "hash",
    "ne",
    "partial_cmp",
    "serialize",
    "to_string",
    "try_from",
];

/// Attribute of the values of an enum.
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Its values, all of one type and at least one, each with the values of the enum that have it.
    pub(crate) values: Vec<(AttributeValue, Vec<String>)>,
}

/// Value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttributeValue {
    True,
    Text(String),
    Texts(Vec<String>),
    /// A named schema.
    Schema(String),
}

impl Attribute {
    /// The name of its method.
    pub(crate) fn method(&self) -> String {
        match self.values.first() {
            Some((AttributeValue::Schema(_), _)) => format!("visit_{}", self.name),
            _ => self.name.clone(),
        }
    }

    /// The attribute of a value of the enum.
    pub(crate) fn of(&self, value: &str) -> Option<&AttributeValue> {
        let mut values = self.values.iter();
        let (found, _) = values.find(|(_, holders)| holders.iter().any(|holder| holder == value))?;
        Some(found)
    }
}

/// Attributes that are being read.
struct Reader {
    attributes: Vec<Attribute>,
    /// Type and location of the first value of each.
    types: Vec<Option<(Discriminant<AttributeValue>, String)>>,
    is_correct: bool,
}

/// The attributes of the values of an enum.
pub(super) fn read(schema: &Value, values: &[String], at: &str, report: &mut Report<'_>) -> Vec<Attribute> {
    let at = join(at, "x-value-attributes");
    let declared = &schema["x-value-attributes"];
    let described = declared["attributes"].as_object().into_iter().flatten();
    let attributes: Vec<_> = described
        .map(|(name, description)| Attribute {
            name: name.clone(),
            description: description.as_str().unwrap_or_default().to_owned(),
            values: Vec::new(),
        })
        .collect();
    let mut reader = Reader {
        types: attributes.iter().map(|_| None).collect(),
        attributes,
        is_correct: true,
    };
    let given = declared["values"].as_object();
    let at_values = join(&at, "values");
    for value in given.into_iter().flat_map(|given| given.keys()) {
        if !values.contains(value) {
            let message = format!("`{value}` is not a value of the enum");
            let help = suggest::advice(value, values.iter().map(String::as_str));
            report.error(Code::AttributeValue, &join(&at_values, value), message, help);
            reader.is_correct = false;
        }
    }
    // In the order of the enum.
    for value in values {
        let own = given.and_then(|given| given.get(value)).and_then(Value::as_object);
        for (name, attribute) in own.into_iter().flatten() {
            reader.add(value, name, attribute, &join(&join(&at_values, value), name), report);
        }
    }
    reader.finish(&join(&at, "attributes"), report)
}

impl Reader {
    fn add(&mut self, holder: &str, name: &str, value: &Value, at: &str, report: &mut Report<'_>) {
        let Some(index) = self.attributes.iter().position(|attribute| attribute.name == name) else {
            let known = self.attributes.iter().map(|attribute| attribute.name.as_str());
            let help = suggest::advice_or(name, known, "describe it in `attributes`, beside `values`");
            let message = format!("the attribute `{name}` has no description");
            self.is_correct = false;
            return report.error(Code::AttributeName, at, message, help);
        };
        let Some(read) = value_of(value, at, report) else {
            self.is_correct = false;
            return;
        };
        let first = self.types[index].get_or_insert_with(|| (discriminant(&read), at.to_owned()));
        if first.0 != discriminant(&read) {
            report.error_with(
                Code::AttributeType,
                at,
                format!("the attribute `{name}` has another type here"),
                "write values of one type",
                (&first.1, "its first value"),
            );
            self.is_correct = false;
            return;
        }
        // The same as absent.
        if *value == false || read == AttributeValue::Texts(Vec::new()) {
            return;
        }
        let values = &mut self.attributes[index].values;
        match values.iter_mut().find(|(known, _)| *known == read) {
            Some((_, holders)) => holders.push(holder.to_owned()),
            None => values.push((read, vec![holder.to_owned()])),
        }
    }

    fn finish(self, at: &str, report: &mut Report<'_>) -> Vec<Attribute> {
        let mut methods: Vec<String> = METHODS.map(str::to_owned).into();
        for attribute in &self.attributes {
            let (name, method) = (&attribute.name, attribute.method());
            let here = join(at, name);
            if !is_snake(name) {
                let message = format!("`{name}` is not a valid name of a method");
                report.error(Code::AttributeName, &here, message, "write a name in snake case");
            } else if methods.contains(&method) {
                let message = format!("the attribute `{name}` would become the method `{method}`, which the enum has");
                report.error(Code::AttributeName, &here, message, "choose another name");
            } else if attribute.values.is_empty() && self.is_correct {
                let message = format!("no value has the attribute `{name}`");
                report.error(
                    Code::AttributeUnused,
                    &here,
                    message,
                    "write it in `values`, or remove it",
                );
            }
            methods.push(method);
        }
        let mut attributes = self.attributes;
        attributes.retain(|attribute| !attribute.values.is_empty());
        attributes
    }
}

/// Reads a value of an attribute. False is read as true, for its type.
fn value_of(value: &Value, at: &str, report: &mut Report<'_>) -> Option<AttributeValue> {
    match value {
        Value::Bool(_) => Some(AttributeValue::True),
        Value::String(text) => Some(AttributeValue::Text(text.clone())),
        Value::Array(items) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            Some(AttributeValue::Texts(texts.collect::<Option<_>>()?))
        }
        Value::Object(schema) if !schema.contains_key("$ref") => {
            report.error(
                Code::AttributeType,
                at,
                "an attribute cannot hold a schema",
                "name the schema in `components.schemas`, and refer to it by `$ref`",
            );
            None
        }
        schema => Some(AttributeValue::Schema(reference(schema)?.to_owned())),
    }
}
