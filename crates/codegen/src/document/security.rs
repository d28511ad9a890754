//! The credentials that an operation accepts.

use serde_json::Value;

use super::SecurityScheme;
use super::security_scheme::Scopes;
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// One alternative of credentials: those that are sent together.
pub(crate) type Alternative = Vec<Needed>;

/// A credential of an alternative.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Needed {
    pub(crate) scheme: String,
    /// The scopes, or roles, that its owner must have.
    pub(crate) scopes: Vec<String>,
}

/// One credential of an operation: required, or accepted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Requirement {
    pub(crate) scheme: String,
    /// True if every alternative of the operation requires it.
    pub(crate) required: bool,
}

/// The key of alternatives that need a setting of the service.
const OPTIONAL: &str = "x-optional-security";

/// The alternatives of an operation: those that are always accepted, then those that need a setting of the service.
/// An operation that requires no credentials has no alternatives.
pub(super) fn alternatives(
    operation: &Value,
    at: &str,
    schemes: &[SecurityScheme],
    report: &mut Report<'_>,
) -> Vec<Alternative> {
    let mut all = Vec::new();
    for key in ["security", OPTIONAL] {
        all.extend(listed(&operation[key], &format!("{at}/{key}"), schemes, report));
    }
    // `{}` alone requires nothing.
    if all.iter().all(Vec::is_empty) { Vec::new() } else { all }
}

/// One list of alternatives.
fn listed(list: &Value, at: &str, schemes: &[SecurityScheme], report: &mut Report<'_>) -> Vec<Alternative> {
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
        let mut needed = Vec::new();
        for (name, scopes) in names {
            let at = join(&at, name);
            let scheme = schemes.iter().find(|scheme| scheme.name == *name);
            if scheme.is_none() {
                let known = schemes.iter().map(|scheme| scheme.name.as_str());
                report.error(
                    Code::UnknownSecurityScheme,
                    &at,
                    format!("the security scheme `{name}` is not declared"),
                    suggest::advice_or(name, known, "add it to `components.securitySchemes`"),
                );
                report.unless_rejected("/components/securitySchemes");
            }
            needed.push(Needed {
                scheme: name.clone(),
                scopes: self::scopes(name, scopes, scheme, &at, report),
            });
        }
        alternatives.push(needed);
    }
    alternatives
}

/// The scopes of a requirement. Those of OAuth 2.0 are declared; others are free.
fn scopes(
    name: &str,
    scopes: &Value,
    scheme: Option<&SecurityScheme>,
    at: &str,
    report: &mut Report<'_>,
) -> Vec<String> {
    let list = scopes.as_array().map(Vec::as_slice);
    let texts: Vec<_> = list
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    if list.is_none_or(|list| list.len() != texts.len()) {
        let message = format!("the value of `{name}` must be a list of scopes");
        let help = format!("write `{name}: []`, or the names of scopes: `{name}: [read]`");
        report.error(Code::Scopes, at, message, help);
        return Vec::new();
    }
    if let Some(SecurityScheme {
        scopes: Scopes::Declared(known),
        ..
    }) = scheme
    {
        for (index, scope) in texts.iter().enumerate().filter(|(_, scope)| !known.contains(scope)) {
            report.value_error(
                Code::Scopes,
                &format!("{at}/{index}"),
                format!("the scope `{scope}` of `{name}` is not declared"),
                suggest::advice_or(scope, known.iter().map(String::as_str), "add it to `scopes` of a flow"),
            );
        }
    }
    texts
}

/// The schemes of the alternatives, in the order of their first use.
pub(super) fn requirements(alternatives: &[Alternative]) -> Vec<Requirement> {
    let mut requirements: Vec<Requirement> = Vec::new();
    let of = |names: &Alternative, scheme: &str| names.iter().any(|needed| needed.scheme == scheme);
    for Needed { scheme, .. } in alternatives.iter().flatten() {
        if !requirements.iter().any(|known| known.scheme == *scheme) {
            requirements.push(Requirement {
                scheme: scheme.clone(),
                required: alternatives.iter().all(|names| of(names, scheme)),
            });
        }
    }
    requirements
}
