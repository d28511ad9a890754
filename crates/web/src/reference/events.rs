//! `/docs/events`: the events that destinations receive.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use super::document::{Document, Operation, text};
use super::layout::{Page, code};
use super::operation::deprecated;
use super::policy::Keep;
use super::prose::prose;
use super::schema;
use super::site::Reference;

pub(super) async fn show(State(reference): State<Arc<Reference>>) -> Response {
    let document = reference.document();
    let tags = document.at("/tags").as_array().into_iter().flatten();
    let about = tags
        .filter(|tag| tag["name"] == "events")
        .map(|tag| text(tag, "description"))
        .next();
    let content = html! {
        h1 { "Events" }
        (prose(about.unwrap_or_default()))
        p { "The same as AsyncAPI 3.0: " a href="/asyncapi.json" { "asyncapi.json" } "." }
        ul.operations {
            @for event in document.events() {
                li {
                    a href={ "#" (event.id()) } {
                        span.what.is-deprecated[event.is_deprecated()] { (event.summary()) }
                        @if event.is_deprecated() { " " span.deprecated { "deprecated" } }
                        " " span.where { code { (event.path) } }
                    }
                }
            }
        }
        @for event in document.events() { (section(document, &event)) }
    };
    let page = Page {
        title: "Events",
        path: "/docs/events",
        content,
        keep: Keep::Revalidated,
    };
    page.response(&reference)
}

fn section(document: &Document, event: &Operation<'_>) -> Markup {
    let id = event.id();
    html! {
        section.event id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (event.summary()) }
            p.route { code { (event.path) } }
            (deprecated(event))
            (prose(event.description()))
            @if let Some((content, _)) = event.body() {
                div.operation {
                    div.about { p.media { code { (schema::type_of(document, content.schema)) } } (schema::body(document, content.schema)) }
                    @if let Some(example) = content.example {
                        div.call {
                            (code(&format!("Example of {}", event.path), None, &serde_json::to_string_pretty(example).unwrap_or_default()))
                        }
                    }
                }
            }
        }
    }
}
