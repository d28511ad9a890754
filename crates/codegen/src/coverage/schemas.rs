//! The properties and enum values that a document declares, by the schemas that hold them once inline ones have names.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::open::is_open;
use super::{Coverage, Measure};
use crate::document::{Document, Schema, SchemaKind, Type, is_of_kit};

/// The properties and enum values of named schemas.
pub(crate) struct Values {
    schemas: Vec<DeclaredSchema>,
}

struct DeclaredSchema {
    name: String,
    /// The names of its own properties, each with whether it accepts any value.
    properties: Vec<(String, bool)>,
    /// Number of its different enum values.
    values: usize,
}

impl Values {
    /// Reads the schemas of a normalised document, before anything is left out.
    pub(crate) fn read(root: &Value) -> Self {
        let all = root["components"]["schemas"].as_object().into_iter().flatten();
        // The kit has the schemas of problems.
        let own = all.filter(|(name, _)| !is_of_kit(name));
        let schemas = own.map(|(name, schema)| {
            let mut properties = Vec::new();
            collect(root, schema, &mut properties);
            let values = schema["enum"].as_array().or(schema["x-extensible-enum"].as_array());
            let values = values.into_iter().flatten().filter(|value| !value.is_null());
            let values: HashSet<_> = values.map(Value::to_string).collect();
            DeclaredSchema {
                name: name.clone(),
                properties,
                values: values.len(),
            }
        });
        Self {
            schemas: schemas.collect(),
        }
    }

    /// Counts those that a typed document has.
    pub(super) fn count(&self, document: &Document, coverage: &mut Coverage) {
        let schemas = document.schemas.iter().map(|schema| (schema.name.as_str(), schema));
        let schemas: HashMap<_, _> = schemas.collect();
        for declared in &self.schemas {
            let schema = schemas.get(declared.name.as_str()).copied();
            for (name, open) in &declared.properties {
                let kept = schema.and_then(|schema| property(schema, name));
                if !coverage.count(Measure::Properties, kept.is_some()) {
                    let part = format!("the property `{name}` of the schema `{}`", declared.name);
                    coverage.missing.push(part);
                }
                if let Some(ty) = kept
                    && !coverage.count(Measure::Typed, *open || *ty.without_null() != Type::Any)
                {
                    let part = format!("the type of the property `{name}` of the schema `{}`", declared.name);
                    coverage.missing.push(part);
                }
            }
            let kept = schema.map_or(0, values);
            for index in 0..declared.values {
                coverage.count(Measure::Values, index < kept);
            }
            if kept < declared.values {
                let missing = declared.values - kept;
                coverage
                    .missing
                    .push(format!("{missing} values of the enum `{}`", declared.name));
            }
        }
    }
}

/// The properties of a schema and of the parts of its `allOf`.
fn collect(root: &Value, schema: &Value, found: &mut Vec<(String, bool)>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name.clone(), is_open(root, property)));
        }
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect(root, part, found);
    }
}

fn property<'d>(schema: &'d Schema, name: &str) -> Option<&'d Type> {
    let SchemaKind::Object { properties, .. } = &schema.kind else {
        return None;
    };
    properties
        .iter()
        .find(|property| property.name == name)
        .map(|property| &property.ty)
}

fn values(schema: &Schema) -> usize {
    match &schema.kind {
        SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values) => values.len(),
        SchemaKind::IntegerEnum(values) => values.len(),
        _ => 0,
    }
}
