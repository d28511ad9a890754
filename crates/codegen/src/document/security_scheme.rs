//! The credentials that the document declares.

use heck::ToSnakeCase;
use serde_json::Value;

use super::json::text;
use super::reserved::BUILDER;
use crate::Code;
use crate::rustdoc::{code_span, rustdoc};
use crate::source::{Report, join};
use crate::suggest;

/// A credential.
#[derive(Clone, Debug)]
pub(crate) struct SecurityScheme {
    pub(crate) name: String,
    pub(crate) carrier: Carrier,
    pub(crate) scopes: Scopes,
    /// The name of the client's setter, and of the option and the variable of the command line.
    pub(crate) short_name: String,
    pub(crate) description: String,
}

/// Place of a credential in a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Carrier {
    /// A header, by its names: the authoritative one, then others that are accepted as well.
    Header(Vec<String>),
    Query(String),
    Cookie(String),
    Bearer,
    Basic,
}

/// The scopes of a credential.
#[derive(Clone, Debug)]
pub(crate) enum Scopes {
    /// Any names.
    Any,
    /// The scopes of the flows of OAuth 2.0.
    Declared(Vec<String>),
}

impl SecurityScheme {
    /// The name of the client's setter, with a suffix if the builder has a method of this name.
    pub(crate) fn setter(&self) -> String {
        match BUILDER.contains(&self.short_name.as_str()) {
            true => format!("{}_credential", self.short_name),
            false => self.short_name.clone(),
        }
    }

    /// Description, which may be empty.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
    }
}

impl Carrier {
    /// The place of the credential, as the rest of a sentence.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Header(names) => format!("header {}", code_span(&names[0])),
            Self::Query(name) => format!("query parameter {}", code_span(name)),
            Self::Cookie(name) => format!("cookie {}", code_span(name)),
            Self::Bearer => "header `Authorization: Bearer`".to_owned(),
            Self::Basic => "header `Authorization: Basic`".to_owned(),
        }
    }

    /// The names of a header of its own, the authoritative one first.
    pub(crate) fn header_names(&self) -> &[String] {
        match self {
            Self::Header(names) => names,
            _ => &[],
        }
    }

    /// Returns whether a request can hold only one of the two.
    pub(crate) fn shares_place(&self, other: &Self) -> bool {
        let authorization = |carrier: &Self| matches!(carrier, Self::Bearer | Self::Basic);
        self == other || authorization(self) && authorization(other)
    }
}

pub(super) fn read_all(root: &Value, report: &mut Report<'_>) -> Vec<SecurityScheme> {
    let schemes = root.pointer("/components/securitySchemes").and_then(Value::as_object);
    let schemes = schemes.into_iter().flatten();
    schemes.map(|(name, value)| read(name, value, report)).collect()
}

fn read(name: &str, value: &Value, report: &mut Report<'_>) -> SecurityScheme {
    let at = join("/components/securitySchemes", name);
    let short = value["x-short-name"].as_str().map(str::to_owned);
    SecurityScheme {
        name: name.to_owned(),
        carrier: carrier(name, value, &at, report),
        scopes: match value["flows"].as_object() {
            Some(flows) => {
                let scopes = flows.values().filter_map(|flow| flow["scopes"].as_object());
                Scopes::Declared(scopes.flat_map(|scopes| scopes.keys().cloned()).collect())
            }
            None => Scopes::Any,
        },
        short_name: short.unwrap_or_else(|| name.to_snake_case()),
        description: text(value, "/description"),
    }
}

fn carrier(name: &str, value: &Value, at: &str, report: &mut Report<'_>) -> Carrier {
    let own = text(value, "/name");
    let carrier = match (value["type"].as_str(), value["in"].as_str()) {
        (Some("apiKey"), Some("header")) => {
            let aliases = value["x-header-aliases"].as_array().into_iter().flatten();
            let aliases = aliases.filter_map(Value::as_str).map(str::to_owned);
            Carrier::Header(std::iter::once(own).chain(aliases).collect())
        }
        (Some("apiKey"), Some("query")) => Carrier::Query(own),
        (Some("apiKey"), Some("cookie")) => Carrier::Cookie(own),
        (Some("apiKey"), Some(other)) => {
            let help = suggest::advice(other, ["header", "query", "cookie"]);
            let message = format!("`{other}` is not a location of an API key");
            report.value_error(Code::SecuritySchemeKind, &join(at, "in"), message, help);
            Carrier::Query(own)
        }
        (Some("http"), _) => http(value, at, report),
        // A token; a document without a key was reported.
        _ => Carrier::Bearer,
    };
    if !matches!(carrier, Carrier::Header(_)) && value.get("x-header-aliases").is_some() {
        let message = format!("`{name}` is in no header of its own, so there are no other names of it");
        report.error(
            Code::StrayKeyword,
            &join(at, "x-header-aliases"),
            message,
            "remove `x-header-aliases`",
        );
    }
    carrier
}

fn http(value: &Value, at: &str, report: &mut Report<'_>) -> Carrier {
    let scheme = value["scheme"].as_str().unwrap_or("bearer");
    match scheme.to_ascii_lowercase().as_str() {
        "basic" => Carrier::Basic,
        "bearer" => Carrier::Bearer,
        _ => {
            report.value_error(
                Code::SecuritySchemeKind,
                &join(at, "scheme"),
                format!("the HTTP authentication scheme `{scheme}` is unsupported"),
                "write `basic` or `bearer`; a key in a header of its own is `type: apiKey`",
            );
            Carrier::Bearer
        }
    }
}
