//! Names that must not collide as Rust names.

mod calls;
mod types;

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::reserved::{MODULES, SCHEMES};
use super::scope::Names;
use super::{Document, SecurityScheme, Server};
use crate::Code;
use crate::rust::{is_identifier, server_stem};
use crate::source::{Report, join};

/// Help for a name that the generated code reserves.
const TAKEN: &str = "the generated code reserves this name: choose another";

/// Whether a tag can name a module.
pub(super) fn is_module(name: &str) -> bool {
    name == name.to_snake_case() && is_identifier(name) && !MODULES.contains(&name)
}

/// Help for a tag that cannot be a module name.
pub(super) fn module_help(name: &str) -> String {
    let snake = name.to_snake_case();
    if MODULES.contains(&name) {
        return "the generated crates reserve this name for a module or crate: choose another".to_owned();
    }
    if snake != name && is_module(&snake) {
        return format!("write `{snake}`");
    }
    "use lower-case letters, digits and underscores, begin with a letter, and do not use a Rust keyword".to_owned()
}

/// The names of all parts of a document.
pub(super) fn check(document: &Document, report: &mut Report<'_>) {
    types::schemas(&document.schemas, report);
    schemes(&document.security, report);
    servers(&document.servers, report);
    calls::operations(document, report);
    calls::webhooks(&document.webhooks, report);
}

fn schemes(schemes: &[SecurityScheme], report: &mut Report<'_>) {
    let mut names = Names::new("credential");
    for scheme in schemes {
        let at = join("/components/securitySchemes", &scheme.name);
        let (ty, method) = (scheme.name.to_upper_camel_case(), scheme.name.to_snake_case());
        if !is_identifier(&ty) || !is_identifier(&method) || SCHEMES.contains(&method.as_str()) {
            report.error(
                Code::SecuritySchemeName,
                &at,
                format!("the security scheme `{}` cannot name an argument", scheme.name),
                if SCHEMES.contains(&method.as_str()) {
                    TAKEN
                } else {
                    "begin it with a letter, and do not use a Rust keyword"
                },
            );
        }
        names.add(ty, quoted(&scheme.name), &at, report);
        let aliases = (0..).zip(&scheme.aliases);
        let aliases = aliases.map(|(index, alias)| (alias, format!("{at}/x-header-aliases/{index}")));
        for (header, at) in std::iter::once((&scheme.header, format!("{at}/name"))).chain(aliases) {
            header_name(header, &at, report);
        }
    }
}

/// Names of headers are tokens of HTTP.
pub(super) fn header_name(name: &str, at: &str, report: &mut Report<'_>) {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        report.value_error(
            Code::HeaderName,
            at,
            format!("`{name}` is not a valid header name"),
            "use letters, digits and hyphens",
        );
    }
}

fn servers(servers: &[Server], report: &mut Report<'_>) {
    let mut names = Names::new("server");
    for server in servers {
        let stem = server_stem(&server.variable);
        let variant = stem.to_upper_camel_case();
        if stem != stem.to_snake_case() || !is_identifier(stem) || !is_identifier(&variant) {
            report.error(
                Code::ServerName,
                &server.at,
                format!("the server variable `{}` is not a valid name", server.variable),
                "use lower-case letters, digits and underscores, such as `base_url`, but not a Rust keyword",
            );
        }
        names.add(variant, quoted(&server.variable), &server.at, report);
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
