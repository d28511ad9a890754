//! Credentials, and those that an operation accepts.

use serde_json::Value;

use super::json::text;
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
    /// Its description, which may be empty.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
    }
}

/// One credential of an operation: required, or accepted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requirement {
    pub(crate) scheme: String,
    /// Whether every alternative of the operation requires it.
    pub(crate) required: bool,
}

pub(super) fn read_all(root: &Value, report: &mut Report<'_>) -> Vec<SecurityScheme> {
    let schemes = root.pointer("/components/securitySchemes").and_then(Value::as_object);
    schemes
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let at = join("/components/securitySchemes", name);
            // Another type was already rejected, and has other keys.
            if value["type"] == "apiKey" && value["in"] != "header" {
                report.value_error(
                    Code::SecuritySchemeKind,
                    &join(&at, "in"),
                    format!(
                        "the security scheme `{name}` is not an API key in a header, which is the only supported kind"
                    ),
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

/// The key of alternatives that need a setting of the service.
const OPTIONAL: &str = "x-optional-security";

/// The alternatives of an operation, each a list of schemes that are required together: those that are always accepted,
/// then those that need a setting of the service.
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
            "an operation without credentials is unsupported",
            "add at least one security scheme",
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
            let message = "a security requirement must be an object with the names of schemes";
            report.value_error(Code::SecurityRequirement, &at, message, help);
            continue;
        };
        if names.is_empty() {
            report.value_error(
                Code::NoCredentials,
                &at,
                "an operation without credentials is unsupported",
                "add at least one security scheme",
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
                report.unless_rejected("/components/securitySchemes");
            }
            let message = match scopes.as_array() {
                Some(scopes) if scopes.is_empty() => continue,
                Some(_) => "an API key has no scopes".to_owned(),
                None => format!("the value of `{name}` must be an empty list"),
            };
            report.error(Code::Scopes, &join(&at, name), message, format!("write `{name}: []`"));
            report.unless_rejected(&join("/components/securitySchemes", name));
        }
        alternatives.push(names.keys().cloned().collect());
    }
    alternatives
}

/// The schemes of the alternatives, in the order of their first use.
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
