//! Names of operations and their parameters, and of events.

use std::collections::HashMap;

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::super::reserved::{OPERATIONS, PARAMETERS};
use super::super::scope::{Names, quoted};
use super::super::{Document, ParamLocation, Webhook};
use super::chosen::{CHOOSE_FIELD, chosen};
use super::header::header_name;
use crate::Code;
use crate::identifier::is_identifier;
use crate::source::{Report, join};

pub(super) fn operations(document: &Document, report: &mut Report<'_>) {
    let (mut ids, mut calls) = (HashMap::new(), Names::new("call"));
    let schemes: Vec<_> = document.security.iter().map(|s| s.name.to_snake_case()).collect();
    for operation in &document.operations {
        let at = operation.id_at.clone();
        identifier(&operation.id, &at, report);
        if OPERATIONS.contains(&operation.id.as_str()) || schemes.contains(&operation.id) {
            report.value_error(
                Code::OperationIdTaken,
                &at,
                format!("the operationId `{}` is reserved by the generated code", operation.id),
                format!("choose another, such as `read_{}`", operation.id),
            );
        }
        let ty = operation.id.to_upper_camel_case();
        if once(&operation.id, &at, &mut ids, report) && ty != operation.id {
            calls.add(ty.clone(), quoted(&operation.id), &at, report);
        }
        if operation.is_choice() {
            let responses = format!("the responses of `{}`", operation.id);
            calls.add(format!("{ty}Response"), responses, &at, report);
        }
        if !operation.errors.is_empty() {
            let errors = format!("the errors of `{}`", operation.id);
            calls.add(format!("{ty}Error"), errors, &at, report);
        }
        let mut fields = Names::new("parameter");
        for parameter in &operation.parameters {
            let field = parameter.field();
            let begun = is_identifier(&format!("{}_", parameter.name.to_snake_case()));
            match &parameter.rust_name {
                Some(name) => chosen(name, &PARAMETERS, &parameter.at, report),
                None if begun && !PARAMETERS.contains(&field.as_str()) => {}
                None => report.error(
                    Code::ParameterName,
                    &parameter.at,
                    format!("the parameter `{}` cannot name a field", parameter.name),
                    CHOOSE_FIELD,
                ),
            }
            if matches!(parameter.location, ParamLocation::Header | ParamLocation::Cookie) {
                header_name(&parameter.name, &join(&parameter.at, "name"), report);
            }
            fields.add(field, quoted(&parameter.name), &parameter.at, report);
        }
        if operation.request.is_some() {
            let body = "the body".to_owned();
            fields.add("body".to_owned(), body, &join(&operation.at, "requestBody"), report);
        }
    }
}

pub(super) fn webhooks(webhooks: &[Webhook], report: &mut Report<'_>) {
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
            "use lower-case letters, digits and underscores, but not a Rust keyword".to_owned()
        };
        report.value_error(
            Code::OperationId,
            at,
            format!("the operationId `{id}` is not a valid method name"),
            help,
        );
    }
}

/// Rejects a duplicate operationId; `ids` are the previous ones, with their locations.
fn once(id: &str, at: &str, ids: &mut HashMap<String, String>, report: &mut Report<'_>) -> bool {
    let Some(first) = ids.get(id) else {
        ids.insert(id.to_owned(), at.to_owned());
        return true;
    };
    report.error_with(
        Code::OperationIdTwice,
        at,
        format!("the operationId `{id}` is used twice"),
        "rename one of the two",
        (first, "the first one"),
    );
    false
}
