//! Defaults of properties.

use serde_json::Value;

use super::{Schema, SchemaKind, Type};
use crate::source::{Report, join};

/// Whether a default is a plain value of a type; whether an enum has it is checked once all schemas are known.
pub(super) fn fits(default: &Value, ty: &Type) -> bool {
    match ty {
        Type::Nullable(inner) => fits(default, inner),
        Type::String { .. } | Type::Ref(_) => default.is_string(),
        Type::Integer { .. } => default.is_i64(),
        Type::Number => default.is_number(),
        Type::Boolean => default.is_boolean(),
        _ => false,
    }
}

/// Defaults of enums are values of these enums.
pub(super) fn check(schemas: &[Schema], report: &mut Report<'_>) {
    for schema in schemas {
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            continue;
        };
        for property in properties {
            let (Some(default), Some(name)) = (&property.default, property.ty.reference()) else {
                continue;
            };
            let values = schemas.iter().find(|other| other.name == name).map(|other| &other.kind);
            let known = match values {
                Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => {
                    values.iter().any(|value| default == value)
                }
                _ => false,
            };
            if !known {
                let at = format!("{}/properties", join("/components/schemas", &schema.name));
                report.value_error(
                    &join(&join(&at, &property.name), "default"),
                    format!("the default is no value of `{name}`"),
                    "use one of its values",
                );
            }
        }
    }
}
