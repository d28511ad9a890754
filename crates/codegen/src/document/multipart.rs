//! Bodies of several parts (`multipart/form-data`): properties that are files, and the encoding of each part.

use std::collections::BTreeSet;

use serde_json::Value;

use super::forms::reference;
use super::json::resolve;
use super::media_type::{JSON, MULTIPART};
use super::{Members, Property, Schema, SchemaKind, SizeLimits, Type, form};
use crate::Code;
use crate::source::{METHODS, Report, join};

/// The parts of a property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    /// True if there may be several.
    pub(crate) list: bool,
    /// The media types of `encoding`.
    pub(crate) content_types: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    Json,
    File,
}

/// Sets the type of binary properties to files, in schemas that are sent in parts.
pub(super) fn mark(root: &Value, schemas: &mut [Schema]) {
    let sent = sent(root);
    for schema in schemas.iter_mut().filter(|schema| sent.contains(&schema.name)) {
        let SchemaKind::Object { properties, .. } = &mut schema.kind else {
            continue;
        };
        for property in properties {
            file(&mut property.ty, &schema.value["properties"][&property.name], root);
        }
    }
}

/// The names of the schemas of such bodies.
fn sent(root: &Value) -> BTreeSet<String> {
    let items = root["paths"].as_object().into_iter().flatten().map(|(_, item)| item);
    let operations = items
        .filter_map(Value::as_object)
        .flatten()
        .filter(|(key, _)| METHODS.contains(&key.as_str()));
    let bodies = operations.map(|(_, operation)| resolve(root, &operation["requestBody"], "requestBodies", "").0);
    let names = bodies.filter_map(|body| reference(&body["content"][MULTIPART]["schema"]));
    names.map(str::to_owned).collect()
}

/// Makes the innermost type a file, if the schema declares bytes.
fn file(ty: &mut Type, value: &Value, root: &Value) {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    if let Some(target) = target.and_then(|pointer| root.pointer(pointer)) {
        return if target["$ref"].is_null() {
            file(ty, target, root)
        };
    }
    match ty {
        Type::Nullable(inner) => file(inner, value, root),
        Type::Array(items, _) => file(items, &value["items"], root),
        Type::String(limits) if is_binary(value) => {
            *ty = Type::File(SizeLimits {
                min: limits.min,
                max: limits.max,
                unique: false,
            });
        }
        _ => {}
    }
}

fn is_binary(value: &Value) -> bool {
    let named = value.get("contentMediaType").is_some() && value.get("contentEncoding").is_none();
    value["format"] == "binary" || named
}

/// Reads the parts of a body, by its schema and its `encoding`.
pub(super) fn read(ty: &Type, media: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> Vec<Field> {
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
            report.error(
                Code::FormFields,
                &join(at, "schema"),
                "a body of several parts must be an object without undeclared members",
                "refer to such an object in `components.schemas`",
            );
        }
        return Vec::new();
    };
    for (name, encoding) in media["encoding"].as_object().into_iter().flatten() {
        let at = join(&join(at, "encoding"), name);
        if !properties.iter().any(|property| property.name == *name) {
            let message = format!("the body has no part `{name}`");
            report.error(Code::FormFields, &at, message, "remove it");
        } else if encoding["style"].as_str().is_some_and(|style| style != "form") {
            let message = format!("the encoding of the part `{name}` is unsupported");
            let help = "remove `style`: an object is sent as JSON, a list as a part for each item";
            report.error(Code::FormFields, &at, message, help);
        }
    }
    for property in properties.iter().filter(|property| property.distinguish_null) {
        report.error(
            Code::FormFields,
            &join(at, "schema"),
            format!("the property `{}` has no part: {}", property.name, form::NULL),
            "remove its `x-distinguish-null`, or write `application/json`",
        );
    }
    properties
        .iter()
        .map(|property| field(property, &media["encoding"][&property.name], schemas))
        .collect()
}

fn field(property: &Property, encoding: &Value, schemas: &[Schema]) -> Field {
    let (list, ty) = match property.ty.without_null() {
        Type::Array(items, _) => (true, items.without_null()),
        one => (false, one),
    };
    let named = encoding["contentType"].as_str().unwrap_or_default().split(',');
    let content_types: Vec<_> = named
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let json = |name: &String| name == JSON || name.ends_with("+json");
    let kind = match ty {
        Type::File(_) => FieldKind::File,
        _ if content_types.iter().any(json) => FieldKind::Json,
        Type::Secret(_) => FieldKind::Text,
        ty if is_text(ty, schemas) => FieldKind::Text,
        _ => FieldKind::Json,
    };
    Field {
        name: property.name.clone(),
        kind,
        list,
        content_types,
    }
}

/// Returns whether each value of a type is a text: a scalar, or one of several.
fn is_text(ty: &Type, schemas: &[Schema]) -> bool {
    let union = match ty {
        Type::Ref(name) => schemas
            .iter()
            .find(|schema| schema.name == *name)
            .map(|schema| &schema.kind),
        _ => None,
    };
    match union {
        Some(SchemaKind::Union(union)) => union.variants.iter().all(|variant| variant.ty.is_scalar(schemas)),
        _ => ty.is_scalar(schemas),
    }
}
