//! Keywords that can be ignored: without them, a part reads and writes the same.

use serde_json::Value;

use super::path::Step;
use crate::diagnostic::Code;
use crate::source::Part;

/// Mistakes of a keyword rather than of the part that has it.
const OF_KEYWORD: [Code; 23] = [
    Code::WrongKind,
    Code::UnknownKey,
    Code::MisplacedKey,
    Code::KeyBesideReference,
    Code::StrayKeyword,
    Code::Constraint,
    Code::LocalDefinitions,
    Code::NullableKeyword,
    Code::ExampleKeyword,
    Code::InlineEnum,
    Code::ParameterStyle,
    Code::UnknownFormat,
    Code::LengthBesideFormat,
    Code::NumberBound,
    Code::BoundOutsideFormat,
    Code::Pattern,
    Code::ImpossibleBounds,
    Code::MemberlessObject,
    Code::PropertyNamesWithoutMap,
    Code::DefaultNull,
    Code::DefaultOfRequired,
    Code::UnsupportedDefault,
    Code::DefaultMismatch,
];

/// Returns whether the last step is a keyword that can be ignored.
pub(super) fn is_ignorable(steps: &[Step<'_>], code: Code) -> bool {
    let [.., holder, last] = steps else { return false };
    // Of a list, the items that are not declared.
    if holder.value.is_array() {
        return matches!(code, Code::EnumValueTwice | Code::Scopes);
    }
    if code == Code::StrayKeyword && last.key == "discriminator" {
        return !last.value.is_null();
    }
    OF_KEYWORD.contains(&code) && holder.value.get(&last.key).is_some() && is_free(holder, &last.key)
}

/// Returns whether a key of a part does not determine the form of its values.
fn is_free(holder: &Step<'_>, key: &str) -> bool {
    let kept: &[&str] = match holder.part {
        Part::Schema => match key {
            // A type is known without the values.
            "enum" | "x-extensible-enum" | "const" => return holder.value["type"].is_string(),
            "additionalProperties" => return !holder.value[key].is_object(),
            _ => &[
                "$ref",
                "type",
                "properties",
                "patternProperties",
                "items",
                "prefixItems",
                "oneOf",
                "anyOf",
                "allOf",
                "discriminator",
            ],
        },
        Part::Parameter if key == "style" => return !prefixed(&holder.value[key]),
        Part::Parameter => &["$ref", "name", "in", "schema", "content"],
        Part::Header => &["$ref", "schema", "content"],
        Part::Response | Part::RequestBody => &["$ref", "content"],
        Part::MediaType => &["schema"],
        Part::SecurityScheme => &["$ref", "type", "scheme", "flows"],
        Part::PathItem => return !crate::source::METHODS.contains(&key) && !["$ref", "parameters"].contains(&key),
        Part::Operation => &[
            "parameters",
            "requestBody",
            "responses",
            "servers",
            "operationId",
            "tags",
        ],
        _ => return false,
    };
    !kept.contains(&key)
}

/// Returns whether a style puts a prefix before the value in a path.
fn prefixed(style: &Value) -> bool {
    *style == "matrix" || *style == "label"
}
