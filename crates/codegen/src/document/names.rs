//! Names that must not meet once they are Rust names.

use std::collections::HashMap;

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::reserved::{MODULES, OPERATIONS, PARAMETERS, SCHEMES, TYPES};
use super::scope::Names;
use super::{Document, Location, Property, Schema, SchemaKind, SecurityScheme, Server, Type, Webhook};
use crate::Code;
use crate::rust::{field_name, is_identifier, server_stem};
use crate::source::{Report, join};

/// How a name is mended that generated code has taken.
const TAKEN: &str = "the generated code uses this name: choose another";

/// Whether a tag can name a module.
pub(super) fn is_module(name: &str) -> bool {
    name == name.to_snake_case() && is_identifier(name) && !MODULES.contains(&name)
}

/// How a tag that names no module is mended.
pub(super) fn module_help(name: &str) -> String {
    let snake = name.to_snake_case();
    if MODULES.contains(&name) {
        return "the generated crates have another module, or use a crate, of this name: choose another".to_owned();
    }
    if snake != name && is_module(&snake) {
        return format!("write `{snake}`");
    }
    "use lower-case letters, digits and underscores, begin with a letter, and choose no Rust keyword".to_owned()
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
            let (message, help) = if is_identifier(&camel) {
                let message = format!("`{}` is not cased as Rust types are", schema.name);
                (message, format!("write `{camel}`"))
            } else {
                let help = "begin it with a letter, and choose no Rust keyword".to_owned();
                (format!("the schema `{}` cannot name a Rust type", schema.name), help)
            };
            report.error(Code::SchemaName, &at, message, help);
        } else if TYPES.contains(&schema.name.as_str()) {
            report.error(
                Code::SchemaNameTaken,
                &at,
                format!("the name `{}` is taken by the generated code", schema.name),
                format!("choose another, such as `{}Info`", schema.name),
            );
        }
        types.add(schema.name.clone(), quoted(&schema.name), &at, report);
        match &schema.kind {
            SchemaKind::Object { properties, open } => {
                let builder = format!("the builder of `{}`", schema.name);
                types.add(format!("{}Builder", schema.name), builder, &at, report);
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
        let members = "the map of members without a name".to_owned();
        fields.add("extra".to_owned(), members, at, report);
    }
    for property in properties {
        let at = join(&join(at, "properties"), &property.name);
        let field = field_name(&property.name);
        if field == "build" {
            report.error(
                Code::PropertyName,
                &at,
                format!("the property `{}` cannot name a field", property.name),
                "the builder of the type ends with `build`: choose another name",
            );
        }
        let alone = fields.add(field.clone(), quoted(&property.name), &at, report);
        // The builder of a type has a second setter for what may be left out.
        if alone && (!property.required || matches!(property.ty, Type::Nullable(_))) {
            let setter = format!("the second setter of `{}`", property.name);
            fields.add(format!("maybe_{field}"), setter, &at, report);
        }
    }
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
                    "begin it with a letter, and choose no Rust keyword"
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
                Code::ServerName,
                &server.at,
                format!("the server variable `{}` cannot name an address", server.variable),
                "use lower-case letters, digits and underscores, such as `base_url`, and no Rust keyword",
            );
        }
        names.add(variant, quoted(&server.variable), &server.at, report);
    }
}

fn operations(document: &Document, report: &mut Report<'_>) {
    let (mut ids, mut calls) = (HashMap::new(), Names::new("call"));
    let schemes: Vec<_> = document.security.iter().map(|s| s.name.to_snake_case()).collect();
    for operation in &document.operations {
        let at = format!("{}/get/operationId", join("/paths", &operation.path));
        identifier(&operation.id, &at, report);
        if OPERATIONS.contains(&operation.id.as_str()) || schemes.contains(&operation.id) {
            report.value_error(
                Code::OperationIdTaken,
                &at,
                format!("the operationId `{}` is taken by the generated code", operation.id),
                format!("choose another, such as `read_{}`", operation.id),
            );
        }
        let ty = operation.id.to_upper_camel_case();
        if once(&operation.id, &at, &mut ids, report) && ty != operation.id {
            calls.add(ty, quoted(&operation.id), &at, report);
        }
        let mut fields = Names::new("parameter");
        for parameter in &operation.parameters {
            let field = parameter.field();
            let begun = is_identifier(&format!("{}_", parameter.name.to_snake_case()));
            if !begun || PARAMETERS.contains(&field.as_str()) {
                report.error(
                    Code::ParameterName,
                    &parameter.at,
                    format!("the parameter `{}` cannot name a field", parameter.name),
                    if begun { TAKEN } else { "begin it with a letter" },
                );
            }
            if parameter.location == Location::Header {
                header_name(&parameter.name, &join(&parameter.at, "name"), report);
            }
            fields.add(field, quoted(&parameter.name), &parameter.at, report);
        }
    }
}

fn webhooks(webhooks: &[Webhook], report: &mut Report<'_>) {
    let (mut ids, mut events) = (HashMap::new(), Names::new("event"));
    for webhook in webhooks {
        let at = format!("{}/post/operationId", join("/webhooks", &webhook.event_type));
        identifier(&webhook.id, &at, report);
        if webhook.id == "unknown" {
            report.value_error(
                Code::EventTaken,
                &at,
                "the event `unknown` collides with the variant for unknown events",
                "choose another operationId",
            );
        }
        if once(&webhook.id, &at, &mut ids, report) {
            events.add(webhook.id.to_upper_camel_case(), quoted(&webhook.id), &at, report);
        }
    }
}

fn identifier(id: &str, at: &str, report: &mut Report<'_>) {
    if id != id.to_snake_case() || !is_identifier(id) || !is_identifier(&id.to_upper_camel_case()) {
        let snake = id.to_snake_case();
        let help = if is_identifier(&snake) && is_identifier(&id.to_upper_camel_case()) {
            format!("write `{snake}`")
        } else {
            "use lower-case letters, digits and underscores, and no Rust keyword".to_owned()
        };
        report.value_error(
            Code::OperationId,
            at,
            format!("the operationId `{id}` is no method name"),
            help,
        );
    }
}

/// Refuses an operationId that stands elsewhere too; `ids` are those before it, with their places.
fn once(id: &str, at: &str, ids: &mut HashMap<String, String>, report: &mut Report<'_>) -> bool {
    let Some(first) = ids.get(id) else {
        ids.insert(id.to_owned(), at.to_owned());
        return true;
    };
    report.error_with(
        Code::OperationIdTwice,
        at,
        format!("the operationId `{id}` is used twice"),
        "give one of the two another",
        (first, "the first one"),
    );
    false
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

fn variants(values: &[String], at: &str, catch_all: Option<&str>, report: &mut Report<'_>) {
    let mut variants = Names::new("variant");
    for (index, value) in values.iter().enumerate() {
        if values[..index].contains(value) {
            continue;
        }
        let at = format!("{at}/{index}");
        let variant = value.to_upper_camel_case();
        if !is_identifier(&variant) {
            report.value_error(
                Code::EnumValueName,
                &at,
                format!("`{value}` gives no variant name"),
                "begin the value with a letter; `self` cannot be one",
            );
        } else if Some(variant.as_str()) == catch_all {
            report.value_error(
                Code::EnumCatchAll,
                &at,
                format!("`{value}` collides with the variant for unknown values"),
                "an open enum keeps what it does not know as `Other`: leave this value out, and it is kept so",
            );
        }
        variants.add(variant, quoted(value), &at, report);
    }
}
