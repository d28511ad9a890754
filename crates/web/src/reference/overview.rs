//! `/docs`: introduction, credentials, errors, and all operations.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use maud::{Markup, html};

use super::demo::RequestHost;
use super::document::{Document, text};
use super::layout::{EVENTS, Page, code, event_item, filter, method, path_of, words};
use super::policy::Keep;
use super::prose::prose;
use super::schema;
use super::site::Reference;

pub(super) async fn show(State(reference): State<Arc<Reference>>, request: Request) -> Response {
    let document = reference.document();
    let info = document.at("/info");
    let keys = reference.keys(&RequestHost::of(&request));
    let content = html! {
        h1 { (text(info, "title")) " API" }
        p.version { "Version " (text(info, "version")) ". The document: "
            a href="/openapi.json" { "openapi.json" } ", " a href="/openapi.yaml" { "openapi.yaml" } "."
        }
        (prose(text(info, "description")))
        (credentials(document))
        (variables(&reference, keys.is_some()))
        (operations(document))
        (errors(document))
    };
    let page = Page {
        title: "API reference",
        path: "/docs",
        content,
        keep: keys.map_or(Keep::Revalidated, |_| Keep::Never),
    };
    page.response(&reference)
}

fn credentials(document: &Document) -> Markup {
    html! {
        h2 id="authentication" { "Authentication" }
        p { "Each operation says which of these it takes, and which scope the key needs." }
        ul.fields {
            @for credential in document.credentials() {
                li.field {
                    p.head { code.name { (credential.header) } " " span.type { "header" } }
                    (prose(text(credential.value, "description")))
                }
            }
        }
    }
}

/// Renders the environment variables of the code samples.
fn variables(reference: &Reference, local: bool) -> Markup {
    let demo = reference.demo.as_ref().filter(|_| local);
    // The script replaces it with the URL of the page.
    let here = text(reference.document().at("/servers/0"), "url");
    let management = if reference.management_here { here } else { "..." };
    let mut lines = vec![
        format!("export WEARLAB_BASE_URL={here}"),
        format!("export WEARLAB_MANAGEMENT_URL={management}"),
    ];
    let prefix = reference.prefix.as_str();
    if prefix != "service" {
        lines.push(format!("export WEARLAB_HEADER_PREFIX={prefix}"));
    }
    for credential in reference.document().credentials() {
        let key = demo.and_then(|demo| demo.key(credential.scheme)).unwrap_or("...");
        lines.push(format!("export {}={key}", credential.variable()));
    }
    html! {
        h2 id="variables" { "Variables of the samples" }
        p {
            "Code samples take URLs and keys from the environment, under the names that the Rust client and "
            code { "wearlab api" } " use:"
        }
        (code("Variables", Some("variables-of-samples"), &lines.join("\n")))
    }
}

fn errors(document: &Document) -> Markup {
    let problem = document.at("/components/schemas/Problem");
    let mut statuses = BTreeMap::new();
    for operation in document.operations() {
        for (status, response) in operation.responses().filter(|(status, _)| !status.starts_with('2')) {
            statuses.entry(status).or_insert_with(|| text(response, "description"));
        }
    }
    html! {
        h2 id="errors" { "Errors" }
        (prose(text(problem, "description")))
        (schema::body(document, problem))
        h3 { "Statuses" }
        dl.statuses {
            @for (status, description) in &statuses {
                div { dt { code { (status) } } dd { (prose(description)) } }
            }
        }
    }
}

fn operations(document: &Document) -> Markup {
    html! {
        h2 id="operations" { "Operations" }
        div id="all-operations" {
            (filter("all-operations", "Filter"))
            @for (tag, description) in document.tags() {
                @let operations: Vec<_> = document.operations().filter(|one| one.tag() == tag).collect();
                @if !operations.is_empty() {
                    section.tag data-group aria-labelledby={ "tag-" (tag) } {
                        h3 id={ "tag-" (tag) } { (tag.replace('_', " ")) }
                        (prose(description))
                        ul.operations {
                            @for operation in &operations {
                                li data-words=(words(operation)) data-id=(operation.id()) {
                                    a href=(path_of(operation)) {
                                        span.what.is-deprecated[operation.is_deprecated()] { (operation.summary()) }
                                        @if operation.is_deprecated() { " " span.deprecated { "deprecated" } }
                                        " " span.where { (method(operation.method)) " " code { (operation.path) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            section.tag data-group aria-labelledby="tag-of-events" {
                h3 id="tag-of-events" { "events" }
                p { "What the service sends to a team: " a href=(EVENTS) { (document.events().count()) " events" } "." }
                ul.operations { @for event in document.events() { (event_item(&event)) } }
            }
        }
    }
}
