//! Diagnostic code and help for a key that the grammar does not list, or that it requires.

use serde_json::Value;

use super::grammar::{OPERATION, PARAMETER, WEBHOOK_POST};
use super::schema_grammar::PARAMETER_SCHEMA;
use super::shape::Node;
use crate::Code;
use crate::document::OBJECT;
use crate::suggest;

/// The diagnostic code of a key that an object cannot have, and the fix.
pub(super) struct Advice {
    pub(super) code: Code,
    pub(super) help: String,
    /// The key to write instead, if there is exactly one.
    pub(super) instead: Option<&'static str>,
}

/// Advice for a key of an object that its grammar does not list.
pub(super) fn unlisted(node: &Node, key: &str, value: &Value) -> Advice {
    let schema = matches!(node.reference, Some(("schemas", _)));
    // A list of names is the `required` of an inline object.
    let key_of_object = if schema && key == "required" && value.is_array() {
        "properties"
    } else {
        key
    };
    let known = by_place(node, key_of_object).or_else(|| if schema { of_schema(key_of_object) } else { None });
    if let Some((code, help)) = known {
        return Advice {
            code,
            help: match code {
                Code::ParameterStyle => style(key).to_owned(),
                _ => help.to_owned(),
            },
            instead: instead(node, key),
        };
    }
    let reference = node.reference.map(|_| "$ref");
    let keys = node.keys.iter().map(|(key, _)| *key).chain(reference);
    let meant = suggest::nearest(key, keys.clone());
    Advice {
        code: Code::UnknownKey,
        instead: meant,
        help: match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if key.starts_with("x-") => match own_place(key) {
                Some(place) => format!("it is valid only on {place}: move it there, or remove it"),
                None => "remove it: third-party extensions are unsupported".to_owned(),
            },
            None => format!("remove it; supported here: {}", keys.collect::<Vec<_>>().join(", ")),
        },
    }
}

/// The objects that one of our own keys is valid on.
fn own_place(key: &str) -> Option<&'static str> {
    Some(match key {
        "x-tag" => "a named schema",
        "x-columns" | "x-masked" => "a named schema that is an object",
        "x-pagination" | "x-optional-security" => "an operation",
        "x-parameter-aliases" => "the document, beside `paths`",
        "x-aliases" | "x-transitions" => "a property",
        "x-header-aliases" => "an API key in a header",
        "x-short-name" => "a security scheme",
        "x-rust-name" => "an operation, a parameter, a named schema, a property, and a choice of a named union",
        "x-rust-names" => "an enum",
        "x-value-attributes" => "a named enum of strings",
        "x-deprecation" => "an object with `deprecated: true`",
        "x-assumption" => "operations, schemas, parameters and similar objects",
        _ => return None,
    })
}

/// The required key that an object lacks because this one was written instead.
fn instead(node: &Node, key: &str) -> Option<&'static str> {
    match node.name {
        "a parameter" if lists(&PARAMETER_SCHEMA, key) => Some("schema"),
        "a webhook" if lists(&WEBHOOK_POST, key) => Some("post"),
        _ => None,
    }
}

/// Returns whether a kind of object has a key.
fn lists(node: &Node, key: &str) -> bool {
    node.keys.iter().any(|(known, _)| *known == key)
}

/// Advice for certain kinds of objects.
fn by_place(node: &Node, key: &str) -> Option<(Code, &'static str)> {
    Some(match (node.name, key) {
        ("a parameter's schema", "example" | "examples") => {
            (Code::MisplacedKey, "write `example` on the parameter, beside `schema`")
        }
        ("a nested schema", "title" | "description" | "default" | "examples" | "deprecated") => (
            Code::MisplacedKey,
            "write it on the property, the parameter or the named schema around it",
        ),
        ("a named schema", "default") => (Code::MisplacedKey, "write it where the schema is used, beside the type"),
        ("a parameter's schema", "properties" | "propertyNames") => (Code::ParameterType, OBJECT),
        ("a parameter's schema", "title") => (Code::MisplacedKey, "write `description` on the parameter"),
        ("a parameter's schema", key) if lists(&PARAMETER, key) => {
            (Code::MisplacedKey, "write it on the parameter, beside `schema`")
        }
        ("a parameter", key) if lists(&PARAMETER_SCHEMA, key) => {
            (Code::MisplacedKey, "write it below the parameter's `schema`")
        }
        ("a property" | "a nested schema", "required") => (
            Code::MisplacedKey,
            "a named schema lists its required properties: write the property's name into `required`, beside `properties`",
        ),
        (_, "x-sensitive") => (
            Code::MisplacedKey,
            "write it on the property or the parameter that holds the value",
        ),
        (_, "x-rounded") => (Code::MisplacedKey, "write it on a property of an object"),
        (_, "x-distinguish-null") => (
            Code::MisplacedKey,
            "write it on an optional nullable property of an object",
        ),
        ("a path", "trace") => (
            Code::Method,
            "write `get`, `put`, `post`, `patch`, `delete`, `head` or `options`",
        ),
        ("a path", key) if lists(&OPERATION, key) => (Code::MisplacedKey, "write it below a method, such as `get`"),
        ("a webhook", key) if lists(&WEBHOOK_POST, key) => (Code::MisplacedKey, "write it below `post`"),
        ("a webhook's operation", "security") => (Code::WebhookSecurity, "describe signatures in `description`"),
        ("an operation" | "a webhook's operation", "callbacks") => {
            (Code::Callbacks, "describe the events under `webhooks`")
        }
        ("a webhook's operation", "servers") => (
            Code::OperationServers,
            "remove it: events are sent to the URL that their receiver has",
        ),
        ("a parameter", "allowReserved" | "allowEmptyValue") | ("a header", "style" | "explode") => {
            (Code::ParameterStyle, "")
        }
        ("a header", "content") => (
            Code::ParameterContent,
            "give it a `schema` instead: a string, an integer, a number, a boolean or an enum",
        ),
        _ => return None,
    })
}

/// Advice for an unsupported key of a parameter or a header.
fn style(key: &str) -> &'static str {
    match key {
        "style" | "explode" => "remove it: a header is a single value",
        _ => "remove it: parameter values are percent-encoded, and an absent parameter is left out",
    }
}

/// Advice for any schema.
fn of_schema(key: &str) -> Option<(Code, &'static str)> {
    Some(match key {
        "nullable" => (Code::NullableKeyword, "OpenAPI 3.1 writes `type: [string, \"null\"]`"),
        "example" => (Code::ExampleKeyword, "OpenAPI 3.1 writes `examples: [...]` in schemas"),
        "enum" | "x-extensible-enum" => (
            Code::InlineEnum,
            "remove it: only strings have enums; describe the values in `description`",
        ),
        // The `required` of an object that has none.
        "properties" => (Code::MisplacedKey, "add `properties` beside it, which it is about"),
        "discriminator" => (
            Code::Discriminator,
            "name the schema in `components.schemas`, and refer to it by `$ref`",
        ),
        "oneOf" | "allOf" | "anyOf" => (
            Code::Composition,
            "name the schema in `components.schemas`, and refer to it by `$ref`",
        ),
        "not" | "if" | "then" | "else" => (
            Code::Composition,
            "describe the rule in `description`, or write the forms as choices of `oneOf` in a named schema",
        ),
        "$defs" | "definitions" | "$id" | "$anchor" | "$dynamicRef" => {
            (Code::LocalDefinitions, "name the schema in `components.schemas`")
        }
        "exclusiveMinimum" => (Code::Constraint, "write `minimum` with the next whole number"),
        "exclusiveMaximum" => (Code::Constraint, "write `maximum` with the previous whole number"),
        "pattern"
        | "multipleOf"
        | "minItems"
        | "maxItems"
        | "uniqueItems"
        | "minProperties"
        | "maxProperties"
        | "contains"
        | "patternProperties"
        | "dependentRequired"
        | "prefixItems"
        | "unevaluatedProperties" => (Code::Constraint, "describe the rule in `description`"),
        _ => return None,
    })
}

/// Help for a `$ref` where none can be.
pub(super) fn reference(node: &Node) -> &'static str {
    match node.name {
        "an operation" => "write the operation here, or refer to a file by the `$ref` of its path",
        "a webhook" | "a webhook's operation" => "write it here, or refer to a file by the `$ref` of the webhook",
        _ => "write it here; schemas, parameters, headers, bodies and responses may be a `$ref`",
    }
}

/// Help for a missing required key.
pub(super) fn missing(node: &Node, key: &str) -> String {
    match (node.name, key) {
        (_, "operationId") => {
            "add `operationId: read_thing`, in snake case: the name of the method in client and server".to_owned()
        }
        (_, "summary") => "add `summary`: the first line of the generated documentation".to_owned(),
        (_, "tags") => "add `tags` with one tag: the module that it is generated into".to_owned(),
        ("a server", "variables") => {
            "write `url: \"{base_url}\"`, and add `variables: {base_url: {default: <the URL>}}`".to_owned()
        }
        ("an operation", "security") => "add `security: [{scheme: []}]`, the credentials that it accepts".to_owned(),
        ("a parameter", "schema") => "add `schema`, such as `schema: {type: string}`".to_owned(),
        ("a parameter", "in") => "add `in: path`, `in: query` or `in: header`".to_owned(),
        _ => format!("add `{key}`"),
    }
}
