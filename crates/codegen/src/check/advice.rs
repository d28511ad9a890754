//! What is said of a key that the grammar does not list, or wants: which mistake it is, and what to write instead.

use serde_json::Value;

use super::grammar::{Node, OPERATION, PARAMETER, PARAMETER_SCHEMA, WEBHOOK_POST};
use crate::Code;
use crate::document::{LIST, OBJECT};
use crate::suggest;

/// How to name and to mend a key that an object cannot have.
pub(super) struct Advice {
    pub(super) code: Code,
    pub(super) help: String,
    /// The key that belongs in its place, if it is one alone.
    pub(super) instead: Option<&'static str>,
}

/// Advice for a key of an object that its grammar does not list.
pub(super) fn unlisted(node: &Node, key: &str, value: &Value) -> Advice {
    let schema = matches!(node.reference, Some(("schemas", _)));
    // A list of names is that of an object which is written where it is used.
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
                Code::ParameterStyle => style(key, value).to_owned(),
                _ => help.to_owned(),
            },
            instead: instead(node, key, code),
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
                Some(place) => format!("it stands on {place} alone: write it there, or remove it"),
                None => "remove it: extensions of others are not carried".to_owned(),
            },
            None => format!("remove it; carried here: {}", keys.collect::<Vec<_>>().join(", ")),
        },
    }
}

/// Where a key of our own stands that others might know from elsewhere.
fn own_place(key: &str) -> Option<&'static str> {
    Some(match key {
        "x-area" => "a named schema",
        "x-columns" => "a named schema that is an object",
        "x-pagination" | "x-optional-security" => "an operation",
        "x-header-aliases" => "a security scheme",
        "x-deprecation" => "what has `deprecated: true`",
        "x-assumption" => "operations, schemas, parameters and their like",
        _ => return None,
    })
}

/// The required key that an object lacks because another stands in its place.
fn instead(node: &Node, key: &str, code: Code) -> Option<&'static str> {
    match node.name {
        "a parameter" if code == Code::ParameterContent || lists(&PARAMETER_SCHEMA, key) => Some("schema"),
        "a webhook" if lists(&WEBHOOK_POST, key) => Some("post"),
        _ => None,
    }
}

/// Whether a kind of object has a key.
fn lists(node: &Node, key: &str) -> bool {
    node.keys.iter().any(|(known, _)| *known == key)
}

/// Advice that holds for some kinds of objects.
fn by_place(node: &Node, key: &str) -> Option<(Code, &'static str)> {
    Some(match (node.name, key) {
        (
            "a property" | "a schema below another",
            "minimum" | "maximum" | "minLength" | "maxLength" | "exclusiveMinimum" | "exclusiveMaximum",
        ) => (
            Code::BoundOfAnswer,
            "bounds are carried for parameters only: describe the rule in `description`, readers of answers are lenient",
        ),
        ("a parameter's schema", "example" | "examples") => {
            (Code::MisplacedKey, "write `example` on the parameter, beside `schema`")
        }
        ("a schema below another", "title" | "description" | "default" | "examples" | "deprecated") => (
            Code::MisplacedKey,
            "write it on the property, the parameter or the named schema around it",
        ),
        (
            "a named schema",
            "format" | "items" | "default" | "propertyNames" | "minimum" | "maximum" | "minLength" | "maxLength",
        ) => (
            Code::MisplacedKey,
            "a named schema is an object or an enum: write other types, with their keywords, where they are used",
        ),
        ("a parameter's schema", "items") => (Code::ParameterType, LIST),
        ("a parameter's schema", "properties" | "additionalProperties" | "propertyNames") => {
            (Code::ParameterType, OBJECT)
        }
        ("a parameter's schema", "title") => (Code::MisplacedKey, "write `description` on the parameter"),
        ("a parameter's schema", key) if lists(&PARAMETER, key) => {
            (Code::MisplacedKey, "write it on the parameter, beside `schema`")
        }
        ("a parameter", key) if lists(&PARAMETER_SCHEMA, key) => {
            (Code::MisplacedKey, "write it below the parameter's `schema`")
        }
        ("a property" | "a schema below another", "required") => (
            Code::MisplacedKey,
            "a named schema lists its required properties: write the property's name into `required`, beside `properties`",
        ),
        (_, "x-sensitive") => (
            Code::MisplacedKey,
            "write it on the property or the parameter that holds the value",
        ),
        ("a path", "put" | "post" | "delete" | "patch" | "head" | "options" | "trace") => {
            (Code::Method, "only `get` is carried; HEAD is answered wherever GET is")
        }
        ("a path", "$ref") => (Code::PathReference, "write the path item out"),
        ("a path", key) if lists(&OPERATION, key) => (Code::MisplacedKey, "write it below `get`"),
        ("a webhook", key) if lists(&WEBHOOK_POST, key) => (Code::MisplacedKey, "write it below `post`"),
        ("the document", "security") => (
            Code::DocumentSecurity,
            "name the security schemes at each operation, so that each says who may call it",
        ),
        ("a webhook's operation", "security") => (Code::WebhookSecurity, "describe signatures in `description`"),
        ("an operation", "requestBody") => (Code::RequestBody, "request bodies are carried in webhooks only"),
        ("an operation" | "a webhook's operation", "callbacks") => {
            (Code::Callbacks, "describe the events that are sent under `webhooks`")
        }
        ("an operation" | "a webhook's operation", "servers") => {
            (Code::OperationServers, "put `servers` on the path, beside `get`")
        }
        ("a parameter" | "a header", "style" | "explode" | "allowReserved" | "allowEmptyValue") => {
            (Code::ParameterStyle, "")
        }
        ("a parameter" | "a header", "content") => (
            Code::ParameterContent,
            "give it a `schema` instead: a string, an integer, a number, a boolean or an enum",
        ),
        _ => return None,
    })
}

/// What to write in place of a form of parameters that is not carried.
fn style(key: &str, value: &Value) -> &'static str {
    match (key, value.as_str()) {
        ("style", Some("deepObject")) => OBJECT,
        ("style", Some("pipeDelimited" | "spaceDelimited")) => LIST,
        ("style", Some("form" | "simple")) => {
            "remove it: parameters have the default style, `form` in the query, `simple` in paths and headers"
        }
        ("style", _) => "remove it: values stand in a path as they are, percent-encoded, without a prefix",
        ("explode", _) => "remove it: a parameter is one value, which nothing can explode",
        _ => "remove it: values of parameters are percent-encoded, and are never empty in place of absent",
    }
}

/// Advice that holds for a schema wherever it stands.
fn of_schema(key: &str) -> Option<(Code, &'static str)> {
    Some(match key {
        "nullable" => (Code::NullableKeyword, "OpenAPI 3.1 writes `type: [string, \"null\"]`"),
        "example" => (Code::ExampleKeyword, "OpenAPI 3.1 writes `examples: [...]` in schemas"),
        "const" => (Code::ConstKeyword, "write an `enum` of one value as a named schema"),
        "enum" | "x-extensible-enum" => (
            Code::InlineEnum,
            "name the enum in `components.schemas`, and refer to it by `$ref`",
        ),
        "properties" => (
            Code::InlineObject,
            "name the object in `components.schemas`, and refer to it by `$ref`",
        ),
        "discriminator" => (
            Code::Discriminator,
            "write one named schema with all properties, the optional ones not required; events are told apart by their `event_type`",
        ),
        "oneOf" | "allOf" | "anyOf" | "not" | "if" | "then" | "else" => (
            Code::Composition,
            "write one named schema with all properties; what may be null is `type: [string, \"null\"]`, or `oneOf` of a `$ref` and null",
        ),
        "$defs" | "definitions" | "$id" | "$anchor" | "$dynamicRef" => {
            (Code::LocalDefinitions, "name the schema in `components.schemas`")
        }
        "exclusiveMinimum" => (Code::Constraint, "write `minimum` with the next whole number"),
        "exclusiveMaximum" => (Code::Constraint, "write `maximum` with the whole number before"),
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
        | "unevaluatedProperties" => (
            Code::Constraint,
            "describe the rule in `description`; the server enforces minimum, maximum, minLength and maxLength",
        ),
        _ => return None,
    })
}

/// What to write where a key is missing that an object must have.
pub(super) fn missing(node: &Node, key: &str) -> String {
    match (node.name, key) {
        (_, "operationId") => {
            "add `operationId: read_thing`, in snake case: the name of the method in client and server".to_owned()
        }
        (_, "summary") => "add `summary`: the first line of the generated documentation".to_owned(),
        (_, "tags") => "add `tags` with one tag: the module that it is generated into".to_owned(),
        ("a server", "variables") => {
            "write `url: \"{base_url}\"`, and add `variables: {base_url: {default: <the address>}}`".to_owned()
        }
        ("an operation", "security") => "add `security: [{scheme: []}]`: who may call it".to_owned(),
        ("a media type", "schema") => "add `schema: {$ref: \"#/components/schemas/Name\"}`".to_owned(),
        ("a parameter", "schema") => "add `schema`, such as `schema: {type: string}`".to_owned(),
        ("a parameter", "in") => "add `in: path`, `in: query` or `in: header`".to_owned(),
        _ => format!("add `{key}`"),
    }
}
