//! Named schemas of one of several types: `oneOf` and `anyOf`.

use heck::ToUpperCamelCase;
use serde_json::Value;

use super::forms::reference;
use super::inline::read_type;
use super::merge::merged;
use super::{Type, Union, Variant};
use crate::Code;
use crate::source::{Report, join, schema_name};

pub(super) fn read(
    value: &Value,
    (keyword, choices): (&str, Vec<(usize, &Value)>),
    at: &str,
    report: &mut Report<'_>,
) -> Union {
    let discriminator = value["discriminator"]["propertyName"].as_str();
    let mut variants = Vec::new();
    for (index, choice) in choices {
        let here = format!("{at}/{keyword}/{index}");
        let ty = match read_type(choice, &here, report) {
            Type::Nullable(inner) => *inner,
            other => other,
        };
        let tags = discriminator.map(|property| tags(value, property, choice, &here, report));
        variants.push(Variant {
            name: name(choice, &ty),
            ty,
            tags: tags.unwrap_or_default(),
            boxed: false,
        });
    }
    Union {
        discriminator: discriminator.map(str::to_owned),
        variants,
        exclusive: keyword == "oneOf",
    }
}

/// The schema's name, or the kind of its values.
fn name(choice: &Value, ty: &Type) -> String {
    if let Some(name) = choice["x-rust-name"].as_str() {
        return name.to_owned();
    }
    if let Some(name) = reference(choice) {
        return name.to_upper_camel_case();
    }
    match ty {
        Type::String(_) => "Text".to_owned(),
        Type::Secret(_) => "Secret".to_owned(),
        Type::File(_) => "File".to_owned(),
        Type::Uuid => "Uuid".to_owned(),
        Type::Date => "Date".to_owned(),
        Type::DateTime => "DateTime".to_owned(),
        Type::Ipv4 => "Ipv4".to_owned(),
        Type::Ipv6 => "Ipv6".to_owned(),
        Type::Integer(..) => "Integer".to_owned(),
        Type::Number(_) => "Number".to_owned(),
        Type::Boolean => "Boolean".to_owned(),
        Type::Any => "Any".to_owned(),
        Type::Open(_) => "Object".to_owned(),
        Type::Ref(name) => name.clone(),
        Type::Array(items, _) => format!("{}List", name_of(items)),
        Type::Map { values, .. } => format!("{}Map", name_of(values)),
        Type::Nullable(inner) => name_of(inner),
    }
}

fn name_of(ty: &Type) -> String {
    name(&Value::Null, ty)
}

/// The values of the discriminator that name a choice: those of the mapping, or those that its own schema has, or else
/// its name.
fn tags(union: &Value, property: &str, choice: &Value, at: &str, report: &mut Report<'_>) -> Vec<String> {
    let Some(name) = reference(choice) else {
        let message = "a choice beside a `discriminator` must be a `$ref`";
        report.error(Code::Discriminator, at, message, "name it in `components.schemas`");
        return Vec::new();
    };
    let mapping = union["discriminator"]["mapping"].as_object();
    let mapped = mapping.into_iter().flatten().filter(|(_, target)| {
        let target = target.as_str().unwrap_or_default();
        target == name || schema_name(target) == Some(name)
    });
    let mapped: Vec<_> = mapped.map(|(tag, _)| tag.clone()).collect();
    let pointer = join("/components/schemas", name);
    let target = report.root().pointer(&pointer).cloned().unwrap_or_default();
    let target = merged(&target, &pointer, &mut report.silent()).into_owned();
    let own = &target["properties"][property];
    if own.is_null() && target.get("oneOf").or(target.get("anyOf")).is_none() && !target.is_null() {
        report.error(
            Code::Discriminator,
            at,
            format!("`{name}` has no property `{property}`, which tells the choices apart"),
            format!("add `{property}` to the `properties` of `{name}`"),
        );
    }
    if !mapped.is_empty() {
        return mapped;
    }
    let own = report
        .root()
        .pointer(
            own["$ref"]
                .as_str()
                .and_then(|target| target.strip_prefix('#'))
                .unwrap_or("/-"),
        )
        .unwrap_or(own);
    let known = own["enum"].as_array().into_iter().flatten().chain(own.get("const"));
    let known: Vec<_> = known.filter_map(Value::as_str).map(str::to_owned).collect();
    if known.is_empty() { vec![name.to_owned()] } else { known }
}
