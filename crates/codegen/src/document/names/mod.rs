//! Names that must not collide as Rust names.

mod calls;
mod chosen;
mod header;
pub(crate) mod module;
mod types;

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::reserved::{OPERATIONS, SCHEMES, TAKEN, TYPES};
use super::scope::{Names, quoted};

use super::{Carrier, Document, SecurityScheme, Server};
use crate::Code;
use crate::identifier::{is_identifier, server_stem};
use crate::source::{Report, join};
pub(super) use header::header_name;

/// Returns whether an operationId is valid and not reserved by the generated code.
pub(crate) fn is_operation_name(id: &str) -> bool {
    let camel = id.to_upper_camel_case();
    id == id.to_snake_case() && is_identifier(id) && is_identifier(&camel) && !OPERATIONS.contains(&id)
}

/// Returns whether a schema's name is a valid type, and not reserved by the generated code.
pub(crate) fn is_type_name(name: &str) -> bool {
    name == name.to_upper_camel_case() && is_identifier(name) && !TYPES.contains(&name)
}

/// Checks the names of all parts of a document.
pub(super) fn check(document: &Document, report: &mut Report<'_>) {
    tags(document, report);
    types::schemas(&document.schemas, report);
    schemes(&document.security, report);
    servers(&document.servers, report);
    calls::operations(document, report);
    calls::webhooks(&document.webhooks, report);
}

/// The tags of operations, each of which names a trait. Those that cannot name a module were reported.
fn tags(document: &Document, report: &mut Report<'_>) {
    let mut names = Names::new("trait");
    for (index, tag) in document.tags.iter().enumerate() {
        let is_first = document.tags[..index].iter().all(|other| other.name != tag.name);
        if is_first && module::is_module(&tag.name) && document.operations_of(tag).next().is_some() {
            let at = format!("/tags/{index}/name");
            names.add(module::trait_of(&tag.name), quoted(&tag.name), &at, report);
        }
    }
}

fn schemes(schemes: &[SecurityScheme], report: &mut Report<'_>) {
    let (mut names, mut setters) = (Names::new("credential"), Names::new("setter"));
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
        let short = &scheme.short_name;
        let own = scheme.name.to_snake_case();
        if *short != own && (*short != short.to_snake_case() || !is_identifier(short)) {
            report.value_error(
                Code::SecuritySchemeName,
                &join(&at, "x-short-name"),
                format!("`{short}` cannot name a setter"),
                "use lower-case letters, digits and underscores, such as `api_key`, but not a Rust keyword",
            );
        }
        // Similar names were reported.
        if *short != own
            || !schemes
                .iter()
                .any(|other| other.name != scheme.name && other.short_name == own)
        {
            setters.add(scheme.setter(), quoted(&scheme.name), &at, report);
        }
        let aliases = (0..).map(|index| format!("{at}/x-header-aliases/{index}"));
        let places = std::iter::once(format!("{at}/name")).chain(aliases);
        for (header, at) in scheme.carrier.header_names().iter().zip(places) {
            header_name(header, &at, report);
        }
        if let Carrier::Cookie(name) = &scheme.carrier {
            header_name(name, &format!("{at}/name"), report);
        }
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
