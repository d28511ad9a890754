//! Defaults of properties and parameters: values of their types that can be written in Rust.

use serde_json::Value;

use super::values::{Mismatch, mismatches};
use super::{Schema, SchemaKind, Type};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// Checks the default of a property or parameter of type `ty`.
pub(super) fn check(default: &Value, ty: &Type, schemas: &[Schema], at: &str, report: &mut Report<'_>) {
    let ty = match ty {
        Type::Nullable(inner) => inner,
        other => other,
    };
    if default.is_null() {
        return report.value_error(
            Code::DefaultNull,
            at,
            "a default of null has no effect",
            "remove it: a value without a default is null when absent",
        );
    }
    let kind = |name: &str| {
        schemas
            .iter()
            .find(|schema| schema.name == name)
            .map(|schema| &schema.kind)
    };
    match ty {
        Type::Ref(name) => match kind(name) {
            // It must be a variant: an open enum has no variant for other values.
            Some(SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values)) => {
                let text = default.as_str().unwrap_or_default();
                if !values.iter().any(|value| value == text) {
                    let help = suggest::advice(text, values.iter().map(String::as_str));
                    mismatch(at, &format!("`{default}` is not a value of `{name}`"), help, report);
                }
            }
            Some(_) => unsupported(at, report),
            // Reported elsewhere: there is no such schema.
            None => {}
        },
        Type::File(_)
        | Type::Secret(_)
        | Type::Uuid
        | Type::Date
        | Type::DateTime
        | Type::Ipv4
        | Type::Ipv6
        | Type::Any => unsupported(at, report),
        _ => {
            let wrong = mismatches(default, ty, schemas, at);
            if wrong.is_empty() {
                parts(default, ty, schemas, at, report);
            }
            for Mismatch { at, message, help } in wrong {
                mismatch(&at, &message, help, report);
            }
        }
    }
}

/// Checks the items or members of a default that fits its type: each is a default of its own.
fn parts(default: &Value, ty: &Type, schemas: &[Schema], at: &str, report: &mut Report<'_>) {
    match (ty, default) {
        (Type::Array(items, _), _) if matches!(**items, Type::Nullable(_)) => unsupported(at, report),
        (Type::Map { values, .. }, _) if matches!(**values, Type::Nullable(_)) => unsupported(at, report),
        (Type::Array(items, _), Value::Array(list)) => {
            for (index, item) in list.iter().enumerate() {
                check(item, items, schemas, &format!("{at}/{index}"), report);
            }
        }
        (Type::Map { keys, values, .. }, Value::Object(members)) => {
            for (name, member) in members {
                let at = join(at, name);
                if let Some(keys) = keys {
                    check(
                        &Value::from(name.as_str()),
                        &Type::Ref(keys.clone()),
                        schemas,
                        &at,
                        report,
                    );
                }
                check(member, values, schemas, &at, report);
            }
        }
        _ => {}
    }
}

fn mismatch(at: &str, message: &str, help: String, report: &mut Report<'_>) {
    let message = format!("the default does not match its schema: {message}");
    report.value_error(Code::DefaultMismatch, at, message, help);
}

fn unsupported(at: &str, report: &mut Report<'_>) {
    report.value_error(
        Code::UnsupportedDefault,
        at,
        "a default of this type is unsupported",
        "strings, numbers, booleans, enums, and lists and maps of these may have one: describe others in `description`",
    );
}

/// Rejects the default of a required property or parameter.
pub(super) fn of_required(what: &str, at: &str, help: String, report: &mut Report<'_>) {
    let message = format!("{what} is required, so it cannot have a default");
    report.error(Code::DefaultOfRequired, at, message, help);
}

/// Checks the defaults of all properties, after all schemas are read.
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
                let help = format!("remove the default, or remove `{}` from `required`", property.name);
                of_required(&format!("the property `{}`", property.name), &at, help, report);
            } else {
                check(default, &property.ty, schemas, &at, report);
            }
        }
    }
}
