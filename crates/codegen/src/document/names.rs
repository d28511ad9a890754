//! Names that must not meet once they are Rust names.

use std::collections::HashMap;

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::reserved::{MODULES, OPERATIONS, PARAMETERS, SCHEMES, TYPES};
use super::{Document, Location, Property, Schema, SchemaKind, SecurityScheme, Server, Type, Webhook};
use crate::rust::{field_name, is_identifier, server_stem};
use crate::source::{Report, join};

/// Whether a tag can name a module.
pub(super) fn is_module(name: &str) -> bool {
    name == name.to_snake_case() && is_identifier(name) && !MODULES.contains(&name)
}

/// How a tag that names no module is mended.
pub(super) fn module_help() -> String {
    format!(
        "use lower-case letters, digits and underscores, no Rust keyword, and none of: {}",
        MODULES.join(", ")
    )
}

/// The names of all parts of a document.
pub(super) fn check(document: &Document, report: &mut Report<'_>) {
    schemas(&document.schemas, report);
    schemes(&document.security, report);
    servers(&document.servers, report);
    operations(document, report);
    webhooks(&document.webhooks, report);
}

fn schemas(schemas: &[Schema], report: &mut Report<'_>) {
    let mut types = Names::new("type");
    for schema in schemas {
        let at = join("/components/schemas", &schema.name);
        if schema.name != schema.name.to_upper_camel_case() || !is_identifier(&schema.name) {
            let camel = schema.name.to_upper_camel_case();
            let help = if is_identifier(&camel) {
                format!("write `{camel}`")
            } else {
                "begin it with a letter, and choose no Rust keyword".to_owned()
            };
            report.error(&at, format!("`{}` is no Rust type name", schema.name), help);
        } else if TYPES.contains(&schema.name.as_str()) {
            report.error(
                &at,
                format!("the name `{}` is taken by the generated code", schema.name),
                format!("choose another; taken are: {}", TYPES.join(", ")),
            );
        }
        types.add(schema.name.clone(), &at, report);
        match &schema.kind {
            SchemaKind::Object { properties, open } => {
                types.add(format!("{}Builder", schema.name), &at, report);
                fields(properties, *open, &at, report);
            }
            SchemaKind::OpenEnum(values) => variants(values, &join(&at, "x-extensible-enum"), Some("Other"), report),
            SchemaKind::ClosedEnum(values) => variants(values, &join(&at, "enum"), None, report),
        }
    }
}

fn fields(properties: &[Property], open: bool, at: &str, report: &mut Report<'_>) {
    let mut fields = Names::new("field");
    if open {
        fields.add("extra".to_owned(), at, report);
    }
    for property in properties {
        let at = join(&join(at, "properties"), &property.name);
        let field = field_name(&property.name);
        if field == "build" {
            report.error(
                &at,
                "the property `build` cannot name a field",
                "the builder of the type ends with it: choose another name",
            );
        }
        // The builder of a type has a second setter for what may be left out.
        if !property.required || matches!(property.ty, Type::Nullable(_)) {
            fields.add(format!("maybe_{field}"), &at, report);
        }
        fields.add(field, &at, report);
    }
}

fn schemes(schemes: &[SecurityScheme], report: &mut Report<'_>) {
    let mut names = Names::new("credential");
    for scheme in schemes {
        let at = join("/components/securitySchemes", &scheme.name);
        let (ty, method) = (scheme.name.to_upper_camel_case(), scheme.name.to_snake_case());
        if !is_identifier(&ty) || !is_identifier(&method) || SCHEMES.contains(&method.as_str()) {
            report.error(
                &at,
                format!("the security scheme `{}` names no argument", scheme.name),
                format!(
                    "begin it with a letter; no Rust keyword, and none of: {}",
                    SCHEMES.join(", ")
                ),
            );
        }
        names.add(ty, &at, report);
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
            at,
            format!("`{name}` is no name of a header"),
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
                &server.at,
                format!("the server variable `{}` names no address", server.variable),
                "use lower-case letters, digits and underscores, and no Rust keyword",
            );
        }
        names.add(variant, &server.at, report);
    }
}

fn operations(document: &Document, report: &mut Report<'_>) {
    let (mut methods, mut types) = (Names::new("operation"), Names::new("call"));
    let schemes: Vec<_> = document.security.iter().map(|s| s.name.to_snake_case()).collect();
    for operation in &document.operations {
        let at = format!("{}/get/operationId", join("/paths", &operation.path));
        identifier(&operation.id, &at, report);
        let taken = || OPERATIONS.iter().copied().chain(schemes.iter().map(String::as_str));
        if taken().any(|name| name == operation.id) {
            report.value_error(
                &at,
                format!("the operationId `{}` is taken by the generated code", operation.id),
                format!("choose another; taken are: {}", taken().collect::<Vec<_>>().join(", ")),
            );
        }
        methods.add(operation.id.clone(), &at, report);
        let ty = operation.id.to_upper_camel_case();
        if ty != operation.id {
            types.add(ty, &at, report);
        }
        let mut fields = Names::new("parameter");
        for parameter in &operation.parameters {
            let field = parameter.field();
            let begun = is_identifier(&format!("{}_", parameter.name.to_snake_case()));
            if !begun || PARAMETERS.contains(&field.as_str()) {
                report.error(
                    &parameter.at,
                    format!("the parameter `{}` cannot name a field", parameter.name),
                    format!(
                        "begin it with a letter; these names are taken: {}",
                        PARAMETERS.join(", ")
                    ),
                );
            }
            if parameter.location == Location::Header {
                header_name(&parameter.name, &join(&parameter.at, "name"), report);
            }
            fields.add(field, &parameter.at, report);
        }
    }
}

fn webhooks(webhooks: &[Webhook], report: &mut Report<'_>) {
    let mut events = Names::new("event");
    for webhook in webhooks {
        let at = format!("{}/post/operationId", join("/webhooks", &webhook.event_type));
        identifier(&webhook.id, &at, report);
        if webhook.id == "unknown" {
            report.value_error(
                &at,
                "the event `unknown` collides with the variant for unknown events",
                "choose another operationId",
            );
        }
        events.add(webhook.id.to_upper_camel_case(), &at, report);
    }
}

fn identifier(id: &str, at: &str, report: &mut Report<'_>) {
    if id != id.to_snake_case() || !is_identifier(id) || !is_identifier(&id.to_upper_camel_case()) {
        report.value_error(
            at,
            format!("the operationId `{id}` is no method name"),
            "use lower-case letters, digits and underscores, and no Rust keyword",
        );
    }
}

fn variants(values: &[String], at: &str, catch_all: Option<&str>, report: &mut Report<'_>) {
    let mut variants = Names::new("variant");
    for (index, value) in values.iter().enumerate() {
        let at = format!("{at}/{index}");
        let variant = value.to_upper_camel_case();
        if !is_identifier(&variant) {
            report.value_error(
                &at,
                format!("`{value}` gives no variant name"),
                "begin the value with a letter; `self` cannot be one",
            );
        } else if Some(variant.as_str()) == catch_all {
            report.value_error(
                &at,
                format!("`{value}` collides with the variant for unknown values"),
                "an open enum has no value named `other`",
            );
        }
        variants.add(variant, &at, report);
    }
}

/// Names of one scope, each with the place that took it.
struct Names {
    what: &'static str,
    taken: HashMap<String, String>,
}

impl Names {
    fn new(what: &'static str) -> Self {
        Self {
            what,
            taken: HashMap::new(),
        }
    }

    fn add(&mut self, name: String, at: &str, report: &mut Report<'_>) {
        if let Some(first) = self.taken.get(&name) {
            report.error_with(
                at,
                format!("two {}s would both be named `{name}`", self.what),
                "rename one of them",
                (first, "the first one"),
            );
        } else {
            self.taken.insert(name, at.to_owned());
        }
    }
}
