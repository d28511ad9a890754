//! `/docs/operations/{operation_id}`: request, responses, samples, and a form that sends it.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use maud::{Markup, html};

use super::demo::{Demo, RequestHost};
use super::document::{Content, Document, Operation, text};
use super::layout::{self, Page, code, method};
use super::policy::Keep;
use super::prose::prose;
use super::samples::{Call, LANGUAGES};
use super::site::Reference;
use super::values::Values;
use super::{schema, try_it};

impl Reference {
    /// Returns the demo, if its keys may be shown.
    pub(super) fn keys(&self, host: &RequestHost) -> Option<&Demo> {
        self.demo.as_deref().filter(|_| host.is_loopback())
    }
}

pub(super) async fn show(
    State(reference): State<Arc<Reference>>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let document = reference.document();
    let Some(operation) = document.operations().find(|operation| operation.id() == id) else {
        return layout::missing(&reference);
    };
    let keys = reference.keys(&RequestHost::of(&request));
    let values = keys.map(Demo::values).unwrap_or_default();
    let content = html! {
        div.operation {
            div.about {
                p.crumb { (operation.tag().replace('_', " ")) }
                h1 { (operation.summary()) }
                p.route {
                    (method(operation.method)) " "
                    code { (operation.path) }
                }
                (deprecated(&operation))
                (prose(operation.description()))
                (authentication(&reference, &operation))
                (parameters(document, &operation))
                (request_body(document, &operation))
                (responses(document, &operation))
            }
            div.call {
                (try_it::form(&reference, &operation, keys))
                (samples(&operation, &values))
                (examples(document, &operation))
            }
        }
    };
    let page = Page {
        title: operation.summary(),
        path: &layout::path_of(&operation),
        content,
        keep: keys.map_or(Keep::Revalidated, |_| Keep::Never),
    };
    page.response(&reference)
}

/// Notice of a deprecated operation.
pub(super) fn deprecated(operation: &Operation<'_>) -> Markup {
    html! {
        @if operation.is_deprecated() {
            div.notice { (schema::deprecation(operation.value())) }
        }
    }
}

fn authentication(reference: &Reference, operation: &Operation<'_>) -> Markup {
    let alternatives = operation.credentials();
    html! {
        h2 { "Authentication" }
        @for (number, alternative) in alternatives.iter().enumerate() {
            p {
                @if number > 0 { "Or: " }
                @for (number, credential) in alternative.iter().enumerate() {
                    @if number > 0 { " with " }
                    code { (credential.header) }
                    @let scopes = credential.scopes.as_array().into_iter().flatten();
                    @for scope in scopes.filter_map(|scope| scope.as_str()) {
                        ", with the scope " code { (scope) }
                    }
                }
                "."
            }
        }
        @if operation.is_management() && !reference.management_here {
            p.notice { "This operation is answered at the management address, which is not the address of this page." }
        }
    }
}

fn parameters(document: &Document, operation: &Operation<'_>) -> Markup {
    let all = operation.parameters();
    html! {
        @for (location, title) in [("path", "Path"), ("query", "Query"), ("header", "Headers")] {
            @let parameters: Vec<_> = all.iter().filter(|one| one.location == location).collect();
            @if !parameters.is_empty() {
                h2 { (title) }
                ul.fields {
                    @for parameter in parameters {
                        (schema::field(document, parameter.name, parameter.required, parameter.value, parameter.schema))
                    }
                }
            }
        }
    }
}

fn request_body(document: &Document, operation: &Operation<'_>) -> Markup {
    let Some((content, description)) = operation.body() else {
        return html! {};
    };
    html! {
        h2 { "Body" }
        (prose(description))
        (shown(document, content))
    }
}

/// Media type and schema of a body.
fn shown(document: &Document, content: Content<'_>) -> Markup {
    html! {
        @let is_binary = content.schema["format"] == "binary";
        p.media {
            code { (content.media_type) }
            @if !is_binary { " " code { (schema::type_of(document, content.schema)) } }
        }
        @if !is_binary { (schema::body(document, content.schema)) }
    }
}

fn responses(document: &Document, operation: &Operation<'_>) -> Markup {
    let others: Vec<_> = operation
        .responses()
        .filter(|(status, _)| !status.starts_with('2'))
        .collect();
    html! {
        h2 { "Responses" }
        @for (status, response) in operation.successes() {
            h3 { (status) " " (text(response, "description")) }
            @for content in document.contents(response) { (shown(document, content)) }
            @if response["headers"].is_object() { (schema::headers(document, response)) }
        }
        h3 { "Other statuses" }
        p { "Errors are " a href="/docs#errors" { "problem details" } "." }
        details.nested {
            summary {
                @for (number, (status, _)) in others.iter().enumerate() { @if number > 0 { ", " } (status) }
            }
            dl.statuses {
                @for (status, response) in &others {
                    div { dt { code { (status) } } dd { (prose(text(response, "description"))) } }
                }
            }
        }
    }
}

fn samples(operation: &Operation<'_>, values: &Values) -> Markup {
    let call = Call::new(operation, values);
    html! {
        section.samples aria-labelledby="samples" {
            h2 id="samples" { "Samples" }
            fieldset.languages {
                legend { "Language" }
                @for (number, language) in LANGUAGES.iter().enumerate() {
                    input type="radio" name="language" id={ "in-" (language.id) } value=(language.id) checked[number == 0];
                    label for={ "in-" (language.id) } { (language.name) }
                }
            }
            @for language in &LANGUAGES {
                div class={ "sample " (language.id) } {
                    (code(language.name, Some(&format!("sample-{}", language.id)), &(language.write)(&call)))
                }
            }
            p.quiet { "URL and keys are " a href="/docs#variables" { "variables of the environment" } "." }
        }
    }
}

fn examples(document: &Document, operation: &Operation<'_>) -> Markup {
    let examples = operation.successes().filter_map(|(status, response)| {
        let content = document.contents(response).next()?;
        Some((status, content.example?))
    });
    html! {
        @for (status, example) in examples {
            h2 { "Example of a response" }
            (code(&format!("Response {status}"), None, &serde_json::to_string_pretty(example).unwrap_or_default()))
        }
    }
}
