//! Names that the document chooses: `x-rust-name`, and `x-rust-names` of enums.

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::super::reserved::{TAKEN, TYPES};
use super::super::{Schema, SchemaKind};
use crate::Code;
use crate::identifier::{is_camel, is_identifier, is_snake};
use crate::source::{Report, join};

/// Help for a name on the wire that cannot be one of a field.
pub(super) const CHOOSE_FIELD: &str = "name its field by `x-rust-name`, in snake case";

/// Checks the name that is chosen for a field.
pub(super) fn chosen(name: &str, taken: &[&str], owner: &str, report: &mut Report<'_>) {
    let at = join(owner, "x-rust-name");
    if !is_snake(name) {
        let snake = name.to_snake_case();
        let message = format!("`{name}` is not a valid name of a field");
        report.value_error(Code::RustName, &at, message, advice(&snake, is_snake(&snake)));
    } else if taken.contains(&name) {
        let message = format!("the name `{name}` is reserved by the generated code");
        report.value_error(Code::RustName, &at, message, TAKEN);
    }
}

/// Checks the names that a schema chooses for its type, and for the variants of an enum.
pub(super) fn of_schema(schema: &Schema, at: &str, report: &mut Report<'_>) {
    if let Some(name) = schema.value["x-rust-name"].as_str().filter(|name| *name != schema.name) {
        let here = join(at, "x-rust-name");
        if is_camel(name) && TYPES.contains(&name) {
            let message = format!("the name `{name}` is reserved by the generated code");
            report.value_error(Code::RustName, &here, message, TAKEN);
        } else if is_camel(name) {
            let message = format!("`{name}` is the name of another type");
            report.value_error(Code::RustName, &here, message, "choose another");
        } else {
            camel(name, "type", &here, report);
        }
    }
    let values: Vec<String> = match &schema.kind {
        SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values) => values.clone(),
        SchemaKind::IntegerEnum(values) => values.iter().map(i64::to_string).collect(),
        // A keyword that has no effect is rejected elsewhere.
        _ => return,
    };
    for (value, name) in &schema.variants {
        let here = join(&join(at, "x-rust-names"), value);
        if !values.contains(value) {
            let message = format!("`{value}` is not a value of the enum");
            let help = crate::suggest::advice(value, values.iter().map(String::as_str));
            report.error(Code::RustName, &here, message, help);
        } else if !is_camel(name) {
            camel(name, "variant", &here, report);
        }
    }
}

fn camel(name: &str, what: &str, at: &str, report: &mut Report<'_>) {
    let camel = name.to_upper_camel_case();
    let message = format!("`{name}` is not a valid name of a {what}");
    report.value_error(Code::RustName, at, message, advice(&camel, is_identifier(&camel)));
}

fn advice(name: &str, valid: bool) -> String {
    if valid {
        format!("write `{name}`")
    } else {
        "begin it with a letter, and do not use a Rust keyword".to_owned()
    }
}
