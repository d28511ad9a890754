//! Names that must not meet once they are Rust names.

use std::collections::HashMap;

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::{Operation, Schema, SchemaKind, Webhook};
use crate::source::{Report, join};

/// Names that generated code uses for its own purposes, or imports.
const TYPES: [&str; 19] = [
    "Self",
    "Option",
    "String",
    "Vec",
    "Box",
    "Result",
    "Ok",
    "Err",
    "Some",
    "None",
    "Event",
    "UnknownEvent",
    "DateTime",
    "Uuid",
    "NaiveDate",
    "BTreeMap",
    "Secret",
    "JsonObject",
    "Encoded",
];

/// Names that the builders of the client use for their own purposes.
const PARAMETERS: [&str; 11] = [
    "client",
    "header_map",
    "info",
    "new",
    "pages",
    "request",
    "response",
    "result",
    "send",
    "stream",
    "url",
];

/// Whether a tag can name a module.
pub(super) fn is_module(name: &str) -> bool {
    name == name.to_snake_case()
        && syn::parse_str::<syn::Ident>(name).is_ok()
        && !["generated", "operations", "router", "webhooks", "api"].contains(&name)
}

pub(super) fn check(schemas: &[Schema], operations: &[Operation], webhooks: &[Webhook], report: &mut Report<'_>) {
    let mut types = Names::new("type");
    for schema in schemas {
        let at = join("/components/schemas", &schema.name);
        if schema.name != schema.name.to_upper_camel_case() && !is_camel(&schema.name) {
            report.error(
                &at,
                format!("`{}` is no Rust type name", schema.name),
                format!("write `{}`", schema.name.to_upper_camel_case()),
            );
        } else if TYPES.contains(&schema.name.as_str()) {
            report.error(
                &at,
                format!("the name `{}` is taken by the generated code", schema.name),
                "choose another",
            );
        }
        types.add(schema.name.clone(), &at, report);
        match &schema.kind {
            SchemaKind::Object { properties, open } => {
                let mut fields = Names::new("field");
                if *open {
                    fields.add("extra".to_owned(), &at, report);
                }
                for property in properties {
                    let at = join(&join(&at, "properties"), &property.name);
                    fields.add(property.name.to_snake_case(), &at, report);
                }
            }
            SchemaKind::OpenEnum(values) => variants(values, &join(&at, "x-extensible-enum"), Some("Other"), report),
            SchemaKind::ClosedEnum(values) => variants(values, &join(&at, "enum"), None, report),
        }
    }
    let mut methods = Names::new("operation");
    for operation in operations {
        let at = format!("{}/get/operationId", join("/paths", &operation.path));
        identifier(&operation.id, &at, report);
        methods.add(operation.id.clone(), &at, report);
        let mut fields = Names::new("parameter");
        for parameter in &operation.parameters {
            let field = parameter.field();
            if syn::parse_str::<syn::Ident>(&field).is_err() || PARAMETERS.contains(&field.as_str()) {
                report.error(
                    &parameter.at,
                    format!("the parameter `{}` cannot name a field", parameter.name),
                    "begin it with a letter; these names are taken: client, header_map, info, new, pages, request, response, result, send, stream, url",
                );
            }
            fields.add(field, &parameter.at, report);
        }
    }
    let mut events = Names::new("event");
    for webhook in webhooks {
        let at = format!("{}/post/operationId", join("/webhooks", &webhook.event_type));
        identifier(&webhook.id, &at, report);
        events.add(webhook.id.to_upper_camel_case(), &at, report);
    }
}

fn is_camel(name: &str) -> bool {
    // `OAuthProvider` is fine, though a converter would write `OAuthProvider` otherwise.
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn identifier(id: &str, at: &str, report: &mut Report<'_>) {
    if id != id.to_snake_case() || syn::parse_str::<syn::Ident>(id).is_err() {
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
        if syn::parse_str::<syn::Ident>(&variant).is_err() {
            report.value_error(
                &at,
                format!("`{value}` gives no variant name"),
                "begin the value with a letter",
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
