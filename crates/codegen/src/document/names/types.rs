//! Names of schemas, of their fields and of their variants.

use heck::ToUpperCamelCase;

use super::super::reserved::TYPES;
use super::super::scope::{Names, quoted};
use super::super::{Property, Schema, SchemaKind, Type, Union};
use super::chosen;
use crate::Code;
use crate::identifier::is_identifier;
use crate::source::{Report, join};

pub(super) fn schemas(schemas: &[Schema], report: &mut Report<'_>) {
    let mut types = Names::new("type");
    for schema in schemas {
        let at = join("/components/schemas", &schema.name);
        if schema.name != schema.name.to_upper_camel_case() || !is_identifier(&schema.name) {
            let camel = schema.name.to_upper_camel_case();
            let (message, help) = if is_identifier(&camel) {
                let message = format!("`{}` is not in the case of Rust types", schema.name);
                (message, format!("write `{camel}`"))
            } else {
                let help = "begin it with a letter, and do not use a Rust keyword".to_owned();
                (format!("the schema `{}` cannot name a Rust type", schema.name), help)
            };
            report.error(Code::SchemaName, &at, message, help);
        } else if TYPES.contains(&schema.name.as_str()) {
            report.error(
                Code::SchemaNameTaken,
                &at,
                format!("the name `{}` is reserved by the generated code", schema.name),
                format!("choose another, such as `{}Info`", schema.name),
            );
        }
        chosen::of_schema(schema, &at, report);
        types.add(schema.name.clone(), quoted(&schema.name), &at, report);
        match &schema.kind {
            SchemaKind::Object { properties, members } => {
                let builder = format!("the builder of `{}`", schema.name);
                types.add(format!("{}Builder", schema.name), builder, &at, report);
                fields(properties, members.are_kept(), &at, report);
            }
            SchemaKind::OpenEnum(values) => {
                variants(schema, values, &join(&at, "x-extensible-enum"), Some("Other"), report)
            }
            SchemaKind::ClosedEnum(values) => variants(schema, values, &join(&at, "enum"), None, report),
            SchemaKind::IntegerEnum(values) => integers(schema, values, &at, report),
            SchemaKind::Alias(_) => {}
            SchemaKind::Union(union) => choices(union, &at, report),
        }
    }
}

fn fields(properties: &[Property], open: bool, at: &str, report: &mut Report<'_>) {
    let mut fields = Names::new("field");
    if open {
        let members = "the map of undeclared members".to_owned();
        fields.add("extra".to_owned(), members, at, report);
    }
    for property in properties {
        let at = join(&join(at, "properties"), &property.name);
        let field = property.field();
        match &property.rust_name {
            Some(name) => chosen::chosen(name, &["build"], &at, report),
            None if field == "build" => report.error(
                Code::PropertyName,
                &at,
                format!(
                    "the property `{}` cannot name a field: the builder has this method",
                    property.name
                ),
                chosen::CHOOSE_FIELD,
            ),
            None => {}
        }
        let alone = fields.add(field.clone(), quoted(&property.name), &at, report);
        // The builder of a type has a second setter for an optional property.
        if alone && (!property.required || matches!(property.ty, Type::Nullable(_))) {
            let setter = format!("the second setter of `{}`", property.name);
            fields.add(format!("maybe_{field}"), setter, &at, report);
        }
    }
}

fn choices(union: &Union, at: &str, report: &mut Report<'_>) {
    let mut names = Names::new("variant");
    names.add(
        "Other".to_owned(),
        "the variant for unknown values".to_owned(),
        at,
        report,
    );
    for variant in &union.variants {
        names.add(
            variant.name.clone(),
            format!("the choice `{}`", variant.name),
            at,
            report,
        );
    }
}

fn variants(schema: &Schema, values: &[String], at: &str, catch_all: Option<&str>, report: &mut Report<'_>) {
    let mut variants = Names::new("variant");
    for (index, value) in values.iter().enumerate() {
        if values[..index].contains(value) {
            continue;
        }
        let at = format!("{at}/{index}");
        let variant = schema.variant(value);
        if Some(variant.as_str()) == catch_all {
            report.value_error(
                Code::EnumCatchAll,
                &at,
                format!("`{value}` collides with the variant for unknown values"),
                "name its variant in `x-rust-names`, beside the values: an open enum keeps unknown values as `Other`",
            );
        }
        variants.add(variant, quoted(value), &at, report);
    }
}

fn integers(schema: &Schema, values: &[i64], at: &str, report: &mut Report<'_>) {
    let mut variants = Names::new("variant");
    let other = "the variant for unknown values".to_owned();
    variants.add("Other".to_owned(), other, at, report);
    for (index, value) in values.iter().enumerate() {
        if !values[..index].contains(value) {
            let at = join(at, "x-rust-names");
            variants.add(schema.integer_variant(*value), format!("`{value}`"), &at, report);
        }
    }
}
