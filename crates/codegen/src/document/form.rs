//! Forms (`application/x-www-form-urlencoded`): values that have a form, and the syntax of lists.

use serde_json::Value;

use super::{Members, Property, Schema, SchemaKind, Type};
use crate::Code;
use crate::source::{Report, join};

/// Rejects a property whose null differs from absence: texts have no null.
pub(super) const NULL: &str = "a null that differs from absence";

/// The fields whose style is `deepObject`: their lists are written with numbers.
pub(super) fn deep(media: &Value, at: &str, report: &mut Report<'_>) -> Vec<String> {
    let mut deep = Vec::new();
    for (name, encoding) in media["encoding"].as_object().into_iter().flatten() {
        let explode = encoding.get("explode").is_none_or(|explode| *explode == true);
        match encoding["style"].as_str().unwrap_or("form") {
            "deepObject" if explode => deep.push(name.clone()),
            "form" if explode => {}
            _ => report.error(
                Code::FormFields,
                &join(&join(at, "encoding"), name),
                format!("the encoding of the field `{name}` is unsupported"),
                "write `style: deepObject` with `explode: true`, or remove it: a list is its name several times",
            ),
        }
    }
    deep
}

/// Checks that the values of a form can be written as texts that have names, and read again.
pub(super) fn check(ty: &Type, media: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) {
    let schema_at = join(at, "schema");
    let schema = match ty {
        Type::Ref(name) => schemas.iter().find(|schema| schema.name == *name),
        _ => None,
    };
    let Some(SchemaKind::Object {
        properties,
        members: Members::Ignored | Members::Refused,
    }) = schema.map(|schema| &schema.kind)
    else {
        if schema.is_some() || !ty.is_broken(schemas) {
            let help = "refer to such an object in `components.schemas`";
            let message = "a form must be an object without undeclared members";
            report.error(Code::FormFields, &schema_at, message, help);
        }
        return;
    };
    for property in properties {
        if let Err(what) = member(property, schemas, &mut Vec::new()) {
            let message = format!("the field `{}` has no form: {what}", property.name);
            let help = "describe it by scalars, lists, maps and objects of these, or write `application/json`";
            report.error(Code::FormFields, &schema_at, message, help);
        }
    }
    for name in media["encoding"].as_object().into_iter().flat_map(|all| all.keys()) {
        if !properties.iter().any(|property| property.name == *name) {
            let message = format!("the form has no field `{name}`");
            report.error(
                Code::FormFields,
                &join(&join(at, "encoding"), name),
                message,
                "remove it",
            );
        }
    }
}

/// Returns the part of a property that cannot be written, if any.
fn member<'s>(property: &'s Property, schemas: &'s [Schema], seen: &mut Vec<&'s str>) -> Result<(), &'static str> {
    if property.distinguish_null {
        return Err(NULL);
    }
    writable(&property.ty, schemas, seen)
}

/// Returns the part that cannot be written, if any. `seen` are the schemas on the way.
fn writable<'s>(ty: &'s Type, schemas: &'s [Schema], seen: &mut Vec<&'s str>) -> Result<(), &'static str> {
    match ty {
        Type::Secret(_) | Type::Any | Type::Open(_) => Ok(()),
        Type::Nullable(inner) => writable(inner, schemas, seen),
        Type::Array(items, _) if matches!(**items, Type::Array(..)) => Err("a list of lists"),
        Type::Array(inner, _) | Type::Map { values: inner, .. } => writable(inner, schemas, seen),
        Type::Ref(name) if !seen.contains(&name.as_str()) => {
            seen.push(name);
            match schemas
                .iter()
                .find(|schema| schema.name == *name)
                .map(|schema| &schema.kind)
            {
                Some(SchemaKind::Object { properties, members }) => {
                    if !matches!(members, Members::Ignored | Members::Refused) {
                        return Err("an object with undeclared members beside properties");
                    }
                    properties
                        .iter()
                        .try_for_each(|property| member(property, schemas, seen))
                }
                Some(SchemaKind::Union(union)) => union
                    .variants
                    .iter()
                    .try_for_each(|variant| writable(&variant.ty, schemas, seen)),
                Some(SchemaKind::Alias(ty)) => writable(ty, schemas, seen),
                _ => Ok(()),
            }
        }
        Type::Ref(_) => Ok(()),
        ty if ty.is_scalar(schemas) => Ok(()),
        _ => Err("another value"),
    }
}
