//! Named schemas that are objects.

use serde_json::{Map, Value};

use super::forms::type_names;
use super::inline::read_type;
use super::json::rust_name;
use super::keywords::only;
use super::{Docs, Members, Property, SchemaKind, Type, variants};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

pub(super) fn read(value: &Value, properties: &Map<String, Value>, at: &str, report: &mut Report<'_>) -> SchemaKind {
    let own = [
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
        "maxProperties",
        "x-columns",
    ];
    only(value, "an object", &own, at, report);
    if type_names(value) != ["object"] {
        let wanted = "a schema with `properties` must have `type: object`";
        variants::wrong_type(Code::ObjectType, value, wanted, at, report);
    }
    let members = match value.get("additionalProperties") {
        None => Members::Ignored,
        Some(Value::Bool(true)) => Members::Kept,
        Some(Value::Bool(false)) => Members::Refused,
        Some(value) => match read_type(value, &join(at, "additionalProperties"), report) {
            Type::Any => Members::Kept,
            ty => Members::Typed(ty),
        },
    };
    let required: Vec<_> = value["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (index, name) in required.iter().enumerate() {
        if !properties.contains_key(*name) {
            let help = match suggest::nearest(name, properties.keys().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "add the property, or remove it from `required`".to_owned(),
            };
            report.value_error(
                Code::RequiredUnknown,
                &format!("{at}/required/{index}"),
                format!("`{name}` is required but is not a property"),
                help,
            );
            if properties.is_empty() {
                report.unless_rejected(at);
            }
        }
    }
    let properties = properties
        .iter()
        .map(|(name, value)| property(name, value, required.contains(&name.as_str()), at, report))
        .collect();
    SchemaKind::Object { properties, members }
}

/// Whether a property is optional for readers although the document requires it of senders.
fn optional_for_readers(property: &Value) -> bool {
    property["x-optional-for-readers"] == true
}

fn property(name: &str, value: &Value, required: bool, at: &str, report: &mut Report<'_>) -> Property {
    let at = join(&join(at, "properties"), name);
    Property {
        name: name.to_owned(),
        rust_name: rust_name(value),
        required: required && !optional_for_readers(value),
        sent: required,
        docs: Docs::read(value, &at, report),
        ty: read_type(value, &at, report),
        default: value.get("default").cloned(),
        sensitive: value["x-sensitive"] == true,
        boxed: false,
    }
}
