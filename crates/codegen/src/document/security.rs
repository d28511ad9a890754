//! Credentials, and which of them an operation accepts.

use serde_json::Value;

use super::text;
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};
use crate::suggest;

/// An API key in a header.
#[derive(Clone, Debug)]
pub(crate) struct SecurityScheme {
    pub(crate) name: String,
    pub(crate) header: String,
    /// Other names of the header that are accepted as well.
    pub(crate) aliases: Vec<String>,
    pub(crate) description: String,
}

impl SecurityScheme {
    /// What the document says of it, which may be nothing.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
    }
}

/// One credential of an operation: required, or accepted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requirement {
    pub(crate) scheme: String,
    /// Whether every alternative of the operation names it.
    pub(crate) required: bool,
}

pub(super) fn read_all(root: &Value, report: &mut Report<'_>) -> Vec<SecurityScheme> {
    let schemes = root.pointer("/components/securitySchemes").and_then(Value::as_object);
    schemes
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let at = join("/components/securitySchemes", name);
            // Another type is refused already: all else is different there.
            if value["type"] == "apiKey" && value["in"] != "header" {
                report.value_error(
                    Code::SecuritySchemeKind,
                    &join(&at, "in"),
                    format!("the security scheme `{name}` is no API key in a header: no other is carried"),
                    "write `in: header`, and the header's name as `name`",
                );
            }
            SecurityScheme {
                name: name.clone(),
                header: text(value, "/name"),
                aliases: texts(&value["x-header-aliases"]),
                description: text(value, "/description"),
            }
        })
        .collect()
}

/// The key of alternatives that only a setting of the service allows.
const OPTIONAL: &str = "x-optional-security";

/// The alternatives of an operation, each the names of schemes that it wants together: what it accepts in any case, and
/// then what a setting of the service may allow besides.
pub(super) fn alternatives(
    operation: &Value,
    at: &str,
    schemes: &[SecurityScheme],
    report: &mut Report<'_>,
) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for key in ["security", OPTIONAL] {
        all.extend(listed(&operation[key], &format!("{at}/{key}"), schemes, report));
    }
    if operation["security"].as_array().is_none_or(Vec::is_empty) {
        report.error(
            Code::NoCredentials,
            &format!("{at}/security"),
            "an operation without credentials is not carried",
            "name at least one security scheme",
        );
    }
    all
}

/// One list of alternatives.
fn listed(list: &Value, at: &str, schemes: &[SecurityScheme], report: &mut Report<'_>) -> Vec<Vec<String>> {
    let mut alternatives = Vec::new();
    for (index, alternative) in list.as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}/{index}");
        let Some(names) = alternative.as_object() else {
            let name = alternative.as_str().unwrap_or("schemeName");
            let help = format!("write `- {name}: []`");
            let message = "a security requirement must be an object, which names schemes";
            report.value_error(Code::SecurityRequirement, &at, message, help);
            continue;
        };
        if names.is_empty() {
            report.value_error(
                Code::NoCredentials,
                &at,
                "an operation without credentials is not carried",
                "name at least one security scheme",
            );
        }
        for (name, scopes) in names {
            if !schemes.iter().any(|scheme| scheme.name == *name) {
                let known = schemes.iter().map(|scheme| scheme.name.as_str());
                report.error(
                    Code::UnknownSecurityScheme,
                    &join(&at, name),
                    format!("the security scheme `{name}` is not declared"),
                    suggest::advice_or(name, known, "add it to `components.securitySchemes`"),
                );
                report.unless_refused("/components/securitySchemes");
            }
            let message = match scopes.as_array() {
                Some(scopes) if scopes.is_empty() => continue,
                Some(_) => "scopes mean nothing for an API key".to_owned(),
                None => format!("`{name}` must have an empty list behind it"),
            };
            report.error(Code::Scopes, &join(&at, name), message, format!("write `{name}: []`"));
            report.unless_refused(&join("/components/securitySchemes", name));
        }
        alternatives.push(names.keys().cloned().collect());
    }
    alternatives
}

/// What the alternatives ask for, scheme by scheme, in the order they are first named.
pub(super) fn requirements(alternatives: &[Vec<String>]) -> Vec<Requirement> {
    let mut requirements: Vec<Requirement> = Vec::new();
    for scheme in alternatives.iter().flatten() {
        if !requirements.iter().any(|known| known.scheme == *scheme) {
            requirements.push(Requirement {
                scheme: scheme.clone(),
                required: alternatives.iter().all(|names| names.contains(scheme)),
            });
        }
    }
    requirements
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
