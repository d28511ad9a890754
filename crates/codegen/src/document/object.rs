//! Named schemas that are objects.

use serde_json::{Map, Value};

use super::forms::type_names;
use super::inline::read_type;
use super::json::rust_name;
use super::keywords::only;
use super::{Docs, Members, Property, Schema, SchemaKind, Type, aliases, variants};
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
        "x-masked",
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
    let properties: Vec<_> = properties
        .iter()
        .map(|(name, value)| property(name, value, required.contains(&name.as_str()), at, report))
        .collect();
    aliases::check_properties(&properties, at, report);
    SchemaKind::Object { properties, members }
}

/// The key of a property whose null is a value of its own.
const DISTINGUISH_NULL: &str = "x-distinguish-null";

/// The key of a property whose numbers readers round.
const ROUNDED: &str = "x-rounded";

/// Returns whether a property is optional for readers although the document requires it of senders.
fn optional_for_readers(property: &Value) -> bool {
    property["x-optional-for-readers"] == true
}

fn property(name: &str, value: &Value, required: bool, at: &str, report: &mut Report<'_>) -> Property {
    let at = join(&join(at, "properties"), name);
    let property = Property {
        name: name.to_owned(),
        rust_name: rust_name(value),
        required: required && !optional_for_readers(value),
        sent: required,
        docs: Docs::read(value, &at, report),
        ty: read_type(value, &at, report),
        default: value.get("default").cloned(),
        constant: None,
        sends_empty: false,
        sensitive: value["x-sensitive"] == true,
        distinguish_null: value[DISTINGUISH_NULL] == true,
        rounded: value[ROUNDED] == true,
        aliases: aliases::listed(&value["x-aliases"]),
        boxed: false,
    };
    check_rounded(&property, &at, report);
    property
}

/// Checks that rounded values are integers, which no other reader replaces.
fn check_rounded(property: &Property, at: &str, report: &mut Report<'_>) {
    let is_integer = |ty: &Type| matches!(ty, Type::Integer(..));
    let fits = match property.ty.without_null() {
        Type::Array(item, _) => is_integer(item),
        ty => is_integer(ty),
    };
    if property.rounded && (!fits || property.default.is_some() || property.distinguish_null) {
        report.error(
            Code::StrayKeyword,
            &join(at, ROUNDED),
            format!("`{ROUNDED}` has no effect on the property `{}`", property.name),
            "write it on an integer, or a list of integers, without a default and without `x-distinguish-null`",
        );
    }
}

/// Checks the properties whose null differs from absence: both must be valid, without a default for either.
pub(super) fn check_distinguished(schemas: &[Schema], report: &mut Report<'_>) {
    for schema in schemas {
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            continue;
        };
        let at = format!("{}/properties", join("/components/schemas", &schema.name));
        for property in properties.iter().filter(|property| property.distinguish_null) {
            let name = &property.name;
            let (reason, help) = if property.sent {
                let help = format!("remove `{DISTINGUISH_NULL}`, or remove `{name}` from `required`");
                ("is required", help)
            } else if property.default.is_some() {
                let help = format!("remove `{DISTINGUISH_NULL}`, or the default: both null and absence stand for it");
                ("has a default", help)
            } else if !matches!(property.ty, Type::Nullable(_)) && !property.ty.is_broken(schemas) {
                let help = format!("remove `{DISTINGUISH_NULL}`, or allow null, as in `type: [string, \"null\"]`");
                ("is not nullable", help)
            } else {
                continue;
            };
            report.error(
                Code::DistinguishNull,
                &join(&join(&at, name), DISTINGUISH_NULL),
                format!("the property `{name}` {reason}, so its null and its absence cannot differ"),
                help,
            );
        }
    }
}
