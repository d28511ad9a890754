//! Parameters of operations.

use serde_json::Value;

use super::reserved::SETTERS;
use super::types::read_type;
use super::{Docs, Schema, SchemaKind, Type, defaults, resolve, rules, text};
use crate::Code;
use crate::rust::field_name;
use crate::source::{Report, join};
use crate::suggest;

/// What to write in place of a parameter that is a list.
pub(crate) const LIST: &str =
    "lists are not carried as parameters: take one value, or describe the format of a plain string";

/// What to write in place of a parameter that is an object.
pub(crate) const OBJECT: &str =
    "objects are not carried as parameters: write one parameter for each member, such as `filter_name`";

/// A parameter in the path, the query or a header.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) required: bool,
    pub(crate) docs: Docs,
    pub(crate) ty: Type,
    pub(crate) default: Option<Value>,
    /// Whether its value must not show in `Debug`.
    pub(crate) sensitive: bool,
    /// Its place in the document.
    pub(crate) at: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
}

impl Parameter {
    /// The name of its field.
    pub(crate) fn field(&self) -> String {
        field_name(&self.name)
    }

    /// The name of its setter in the client, where calls have methods of their own: with an underscore behind such.
    pub(crate) fn setter(&self) -> String {
        let field = self.field();
        if SETTERS.contains(&field.as_str()) {
            format!("{field}_")
        } else {
            field
        }
    }

    /// The paragraphs of a doc comment, with the rules that the server enforces.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs = self.docs.paragraphs_or(&self.name);
        paragraphs.extend(rules::sentence(&self.ty, self.default.as_ref()));
        paragraphs
    }
}

impl Location {
    /// The word that the document uses.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// The parameters of an operation.
pub(super) struct Parameters {
    pub(super) list: Vec<Parameter>,
    /// The names of those that were refused, empty where even the name is missing.
    refused: Vec<String>,
}

impl Parameters {
    /// Whether a parameter of this name may be among those that were refused.
    pub(super) fn may_be_refused(&self, name: &str) -> bool {
        self.refused.iter().any(|refused| refused == name || refused.is_empty())
    }
}

/// Checks the parameters of the components, whether or not an operation refers to them.
pub(super) fn check_components(root: &Value, schemas: &[Schema], report: &mut Report<'_>) {
    let components = root.pointer("/components/parameters").and_then(Value::as_object);
    for (name, value) in components.into_iter().flatten() {
        read(value, &join("/components/parameters", name), schemas, report);
    }
}

/// The parameters of a path and of an operation in it; the operation's own win.
pub(super) fn read_all(
    root: &Value,
    lists: [(&Value, String); 2],
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Parameters {
    let mut parameters = Parameters {
        list: Vec::new(),
        refused: Vec::new(),
    };
    for (list, at) in lists {
        let mut own: Vec<Parameter> = Vec::new();
        for (index, value) in list.as_array().into_iter().flatten().enumerate() {
            let here = format!("{at}/{index}");
            let (value, place) = resolve(root, value, "parameters", &here);
            let Some(parameter) = read(value, &place, schemas, report) else {
                parameters.refused.push(text(value, "/name"));
                continue;
            };
            if parameter.name.is_empty() {
                parameters.refused.push(String::new());
            }
            if own.iter().any(|known| same(known, &parameter)) {
                report.error(
                    Code::ParameterTwice,
                    &here,
                    format!("the parameter `{}` stands here twice", parameter.name),
                    "remove one",
                );
                continue;
            }
            own.push(parameter);
        }
        parameters.list.retain(|known| !own.iter().any(|new| same(known, new)));
        parameters.list.extend(own);
    }
    parameters
}

fn same(a: &Parameter, b: &Parameter) -> bool {
    a.name == b.name && a.location == b.location
}

fn read(value: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> Option<Parameter> {
    let location = match value["in"].as_str()? {
        "path" => Location::Path,
        "query" => Location::Query,
        "header" => Location::Header,
        "cookie" => {
            report.value_error(
                Code::CookieParameter,
                &join(at, "in"),
                "parameters in cookies are not carried",
                "use a header or the query; credentials are declared in `components.securitySchemes`",
            );
            return None;
        }
        other => {
            report.value_error(
                Code::ParameterLocation,
                &join(at, "in"),
                format!("no parameter stands in `{other}`"),
                suggest::advice(other, ["path", "query", "header"]),
            );
            return None;
        }
    };
    let name = text(value, "/name");
    let required = value["required"] == true;
    if location == Location::Path && !required {
        report.error(
            Code::PathParameterOptional,
            at,
            format!("the path parameter `{name}` is not required"),
            "add `required: true`",
        );
    }
    let schema_at = join(at, "schema");
    let ty = read_type(&value["schema"], &schema_at, report);
    if !scalar(&ty, schemas) {
        let message = format!(
            "a parameter must be a string, an integer, a number, a boolean or an enum; this one is {}",
            ty.noun()
        );
        report.error(Code::ParameterType, &schema_at, message, not_carried(&ty));
    }
    let default = value["schema"].get("default").cloned();
    if required && default.is_some() {
        let help = match location {
            Location::Path => "remove it: a path parameter is always given",
            Location::Query | Location::Header => "remove the default, or `required: true`",
        };
        let at = join(&schema_at, "default");
        defaults::of_required(&format!("the parameter `{name}`"), &at, help.to_owned(), report);
    } else if let Some(default) = &default {
        defaults::check(default, &ty, schemas, &join(&schema_at, "default"), report);
    }
    Some(Parameter {
        name,
        location,
        required,
        docs: Docs::read(value, at, report),
        ty,
        default,
        sensitive: value["x-sensitive"] == true,
        at: at.to_owned(),
    })
}

/// What to write in place of a parameter of this type.
fn not_carried(ty: &Type) -> &'static str {
    match ty {
        Type::Nullable(inner) => not_carried(inner),
        Type::Array(_) => LIST,
        Type::Secret => {
            "secrets are not carried as parameters: declare a credential in `components.securitySchemes`, \
             or remove `format`"
        }
        _ => OBJECT,
    }
}

fn scalar(ty: &Type, schemas: &[Schema]) -> bool {
    match ty {
        Type::Nullable(inner) => scalar(inner, schemas),
        Type::Ref(name) => schemas
            .iter()
            .all(|schema| schema.name != *name || !matches!(schema.kind, SchemaKind::Object { .. })),
        Type::Array(_) | Type::Map(_) | Type::Open | Type::Secret => false,
        _ => true,
    }
}
