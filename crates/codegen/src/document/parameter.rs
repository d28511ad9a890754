//! Parameters of operations.

use serde_json::Value;

use super::docs::{also_named, first_paragraph};
use super::inline::read_type;
use super::json::{rust_name, text};
use super::param_location::ParamLocation;
use super::reserved::SETTERS;
use super::structure::{self, OBJECT, Structure};
use super::style::{self, Separator};
use super::{Docs, Schema, Type, defaults, rules};
use crate::Code;
use crate::identifier::field_name;
use crate::source::{Report, join};
use crate::suggest;

/// A parameter in the path, the query, a header or a cookie.
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// The name of its field, if the document chooses one.
    pub(crate) rust_name: Option<String>,
    pub(crate) location: ParamLocation,
    pub(crate) required: bool,
    pub(crate) docs: Docs,
    pub(crate) ty: Type,
    pub(crate) default: Option<Value>,
    /// Style of its items, if it is a list.
    pub(crate) separator: Option<Separator>,
    /// Style of the parameter, if it is an object or JSON.
    pub(crate) structure: Option<Structure>,
    /// True if its value is redacted in `Debug`.
    pub(crate) sensitive: bool,
    /// Other names that the server accepts it under.
    pub(crate) aliases: Vec<String>,
    /// Pointer in the document.
    pub(crate) at: String,
}

impl Parameter {
    /// The name of its field.
    pub(crate) fn field(&self) -> String {
        self.rust_name.clone().unwrap_or_else(|| field_name(&self.name))
    }

    /// The name of its setter in the client, with a trailing underscore if every call has a method of this name.
    pub(crate) fn setter(&self) -> String {
        let field = self.field();
        if SETTERS.contains(&field.as_str()) {
            format!("{field}_")
        } else {
            field
        }
    }

    /// The type of its items, if it is a list, or else its own.
    pub(crate) fn item(&self) -> &Type {
        match self.structure {
            Some(_) => &self.ty,
            None => item(&self.ty),
        }
    }

    /// Returns whether a request may omit it without a default or an empty list in its place.
    pub(crate) fn is_option(&self) -> bool {
        !self.required && self.default.is_none() && self.separator.is_none()
    }

    /// Returns whether it is an argument of the client's method, required to begin a call.
    pub(crate) fn is_argument(&self) -> bool {
        self.required && !self.is_idempotency_key()
    }

    /// Returns whether it is the header by which the service recognises a repeated request. The client makes
    /// its value, if a UUID fits its type.
    pub(crate) fn is_idempotency_key(&self) -> bool {
        let fits = match self.ty.without_null() {
            Type::Uuid => true,
            Type::String(limits) => limits.min.is_none_or(|min| min <= 36) && limits.max.is_none_or(|max| max >= 36),
            _ => false,
        };
        self.location == ParamLocation::Header && self.name.eq_ignore_ascii_case("Idempotency-Key") && fits
    }

    /// Description as one paragraph, with the rules that the server enforces. May be empty.
    pub(crate) fn line(&self) -> String {
        let paragraphs = self.docs.paragraphs();
        let rules = rules::sentence(&self.ty, self.default.as_ref());
        let text = first_paragraph(&paragraphs).into_iter().chain(rules);
        text.collect::<Vec<_>>().join(" ")
    }

    /// The paragraphs of a doc comment, with the rules that the server enforces.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs = self.docs.paragraphs_or(&self.name);
        paragraphs.extend(rules::sentence(&self.ty, self.default.as_ref()));
        if let Some(separator) = self.separator {
            paragraphs.push(format!("Sent {}.", separator.described()));
        }
        if let Some(structure) = &self.structure {
            paragraphs.push(format!("Sent {}.", structure.described(&self.name)));
        }
        paragraphs.extend(also_named(self.aliases.iter().map(String::as_str)));
        paragraphs
    }
}

pub(super) fn read(value: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> Option<Parameter> {
    let location = match value["in"].as_str()? {
        "path" => ParamLocation::Path,
        "query" => ParamLocation::Query,
        "header" => ParamLocation::Header,
        "cookie" => ParamLocation::Cookie,
        other => {
            report.value_error(
                Code::ParameterLocation,
                &join(at, "in"),
                format!("`{other}` is not a parameter location"),
                suggest::advice(other, ["path", "query", "header", "cookie"]),
            );
            return None;
        }
    };
    let name = text(value, "/name");
    let required = value["required"] == true;
    if location == ParamLocation::Path && !required {
        report.error(
            Code::PathParameterOptional,
            at,
            format!("the path parameter `{name}` is not required"),
            "add `required: true`",
        );
    }
    let schema_at = join(at, "schema");
    let (ty, structure) = match value.get("content") {
        Some(_) => (structure::json(value, location, at, report), Some(Structure::Json)),
        None => {
            let ty = read_type(&value["schema"], &schema_at, report);
            let structure = structure::object(value, location, &ty, schemas, at, report);
            (ty, structure)
        }
    };
    if structure.is_none() && !item(&ty).is_scalar(schemas) {
        let message = format!(
            "a parameter must be a string, an integer, a number, a boolean, an enum, or a list of these; this one is {}",
            ty.noun()
        );
        report.error(Code::ParameterType, &schema_at, message, unsupported(&ty));
    }
    let default = value["schema"].get("default").cloned();
    if required && default.is_some() {
        let help = match location {
            ParamLocation::Path => "remove it: a path parameter is always present",
            _ => "remove the default, or `required: true`",
        };
        let at = join(&schema_at, "default");
        defaults::of_required(&format!("the parameter `{name}`"), &at, help.to_owned(), report);
    } else if let Some(default) = &default {
        let at = join(&schema_at, "default");
        defaults::check(default, &ty, schemas, &at, report);
    }
    let separator = match structure {
        Some(_) => None,
        None => style::read(value, location, &ty, at, report),
    };
    Some(Parameter {
        name,
        rust_name: rust_name(value),
        location,
        required,
        docs: Docs::read(value, at, report),
        ty,
        default,
        separator,
        structure,
        sensitive: value["x-sensitive"] == true,
        aliases: Vec::new(),
        at: at.to_owned(),
    })
}

/// Help for a parameter of this type.
fn unsupported(ty: &Type) -> &'static str {
    match ty {
        Type::Nullable(inner) => unsupported(inner),
        Type::Array(..) => "describe the format of a plain string, or send JSON: `content` instead of `schema`",
        Type::Any => "add `type`, or send JSON: `content` instead of `schema`",
        Type::Ref(_) => "choose one of its types, or send JSON: `content` instead of `schema`",
        Type::Secret(_) => {
            "parameters cannot be secrets: declare a credential in `components.securitySchemes`, \
             or remove `format`"
        }
        _ => OBJECT,
    }
}

/// The type of its items, if it is a list, or else itself.
fn item(ty: &Type) -> &Type {
    match ty {
        Type::Nullable(inner) if matches!(**inner, Type::Array(..)) => item(inner),
        Type::Array(items, _) => items,
        other => other,
    }
}
