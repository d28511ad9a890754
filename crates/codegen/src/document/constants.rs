//! Required properties with one value, which third-party documents write as `const` or as an enum of one.

use serde_json::Value;

use super::{Document, Property, Schema, SchemaKind, Type};

impl Document {
    /// Gives new values of objects the members that have but one value. Readers accept other values.
    pub(crate) fn fill_constants(&mut self) {
        let constants: Vec<Vec<_>> = self.schemas.iter().map(|schema| self.constants(schema)).collect();
        for (schema, constants) in self.schemas.iter_mut().zip(constants) {
            let SchemaKind::Object { properties, .. } = &mut schema.kind else {
                continue;
            };
            for (property, constant) in properties.iter_mut().zip(constants) {
                property.constant = constant;
            }
        }
    }

    fn constants(&self, schema: &Schema) -> Vec<Option<Value>> {
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            return Vec::new();
        };
        let of = |property: &Property| {
            let written = &schema.value["properties"][&property.name];
            // Absence of an optional one has a meaning, as of `deleted: true`.
            let fits = property.required && property.default.is_none() && !property.boxed;
            fits.then(|| self.only_value(&property.ty, written)).flatten()
        };
        properties.iter().map(of).collect()
    }

    /// The only value of a type.
    fn only_value(&self, ty: &Type, written: &Value) -> Option<Value> {
        match ty {
            Type::Ref(name) => {
                let schema = self.schemas.iter().find(|schema| schema.name == *name)?;
                match &schema.kind {
                    SchemaKind::ClosedEnum(values) => only(values).map(|value| Value::from(value.as_str())),
                    _ => None,
                }
            }
            Type::String(limits) => limits.only.clone().map(Value::from),
            Type::Boolean => {
                let values = written["enum"].as_array().map(Vec::as_slice);
                let constant = written.get("const").or_else(|| only(values?));
                constant.filter(|constant| constant.is_boolean()).cloned()
            }
            Type::Integer(_, limits) if limits.min == limits.max => limits.min.and_then(|only| {
                let only = i64::try_from(only).ok()?;
                Some(Value::from(only))
            }),
            _ => None,
        }
    }
}

fn only<T>(all: &[T]) -> Option<&T> {
    match all {
        [one] => Some(one),
        _ => None,
    }
}
