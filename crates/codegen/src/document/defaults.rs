//! Defaults of properties and parameters: values of their own types, that Rust can write.

use serde_json::Value;

use super::{Schema, SchemaKind, Type};
use crate::source::{Report, join};

/// Checks the default of what is of type `ty`.
pub(super) fn check(default: &Value, ty: &Type, schemas: &[Schema], at: &str, report: &mut Report<'_>) {
    let (message, help) = match ty {
        _ if default.is_null() => (
            "a default of null says nothing".to_owned(),
            "remove it: what has no default is null where it is left out",
        ),
        Type::Nullable(inner) => return check(default, inner, schemas, at, report),
        Type::Ref(name) => match schemas
            .iter()
            .find(|schema| schema.name == *name)
            .map(|schema| &schema.kind)
        {
            Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => {
                if values.iter().any(|value| default == value) {
                    return;
                }
                (format!("the default is no value of `{name}`"), "use one of its values")
            }
            Some(SchemaKind::Object { .. }) => not_carried(),
            // Said elsewhere: there is no such schema.
            None => return,
        },
        Type::String { min, max } => match default.as_str() {
            Some(text) => {
                let length = text.chars().count() as u64;
                if within(length, *min, *max) {
                    return;
                }
                out_of_bounds()
            }
            None => of_another_type("string"),
        },
        Type::Integer { bits, min, max } => match default.as_i64() {
            Some(number) if *bits == 32 && i32::try_from(number).is_err() => (
                "the default is no 32-bit integer".to_owned(),
                "write a smaller one, or `format: int64`",
            ),
            Some(number) if within(number, *min, *max) => return,
            Some(_) => out_of_bounds(),
            None => of_another_type("whole number"),
        },
        Type::Number if default.is_number() => return,
        Type::Number => of_another_type("number"),
        Type::Boolean if default.is_boolean() => return,
        Type::Boolean => of_another_type("boolean"),
        Type::Secret | Type::Uuid | Type::Date | Type::DateTime | Type::Open | Type::Array(_) | Type::Map(_) => {
            not_carried()
        }
    };
    report.value_error(at, message, help);
}

fn within<T: PartialOrd>(value: T, min: Option<T>, max: Option<T>) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

fn out_of_bounds() -> (String, &'static str) {
    (
        "the default is out of its own bounds".to_owned(),
        "change one of the two",
    )
}

fn of_another_type(wanted: &str) -> (String, &'static str) {
    (
        format!("the default is no {wanted}"),
        "write a value of the type that it stands in for",
    )
}

fn not_carried() -> (String, &'static str) {
    (
        "a default of this type is not carried".to_owned(),
        "plain strings, numbers, booleans and enums may have one: describe others in `description`",
    )
}

/// Checks the defaults of all properties, once all schemas are known.
pub(super) fn check_properties(schemas: &[Schema], report: &mut Report<'_>) {
    for schema in schemas {
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            continue;
        };
        let at = format!("{}/properties", join("/components/schemas", &schema.name));
        for property in properties {
            let Some(default) = &property.default else { continue };
            let at = join(&join(&at, &property.name), "default");
            if property.required {
                report.error(&at, "a required property has no default", "remove one of the two");
            } else {
                check(default, &property.ty, schemas, &at, report);
            }
        }
    }
}
