//! Layout of all pages: head, links, and the list of operations beside the content.

use axum::http::StatusCode;
use axum::response::Response;
use maud::{DOCTYPE, Markup, html};
use wearlab_server::content;

use super::document::Operation;
use super::policy::{self, Keep};
use super::site::Reference;

/// A page.
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    /// Path of the page, which is marked in the lists.
    pub(super) path: &'a str,
    pub(super) content: Markup,
    pub(super) keep: Keep,
}

/// Returns the path of an operation's page.
pub(super) fn path_of(operation: &Operation<'_>) -> String {
    format!("/docs/operations/{}", operation.id())
}

impl Page<'_> {
    /// Returns the page with the list of operations beside it.
    pub(super) fn response(self, reference: &Reference) -> Response {
        let list = list(reference, self.path);
        self.frame(reference, &list)
    }

    /// Returns the page without the list.
    pub(super) fn alone(self, reference: &Reference) -> Response {
        self.frame(reference, &html! {})
    }

    fn frame(self, reference: &Reference, list: &Markup) -> Response {
        let url = |name: &str| reference.assets.url(name);
        let has_list = !list.0.is_empty();
        let link = |path: &str, name: &str| {
            html! { a href=(path) aria-current=[(path == self.path).then_some("page")] { (name) } }
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) " \u{b7} Wearlab" }
                    link rel="icon" type="image/svg+xml" href=(url("icon.svg"));
                    link rel="stylesheet" href=(url("docs.css"));
                    script src=(url("docs.js")) defer {}
                }
                body {
                    header.top {
                        a.brand href="/" { "Wearlab" }
                        nav.pages aria-label="Pages" {
                            (link("/docs", "Reference"))
                            (link("/docs/events", "Events"))
                            a href="/openapi.json" { "OpenAPI" }
                            @if has_list { a.to-list href="#list" { "Operations" } }
                        }
                    }
                    div.columns.beside[has_list] {
                        main { (self.content) }
                        (list)
                    }
                }
            }
        };
        let mut response = content("text/html; charset=utf-8", page.into_string());
        policy::mark(&mut response, self.keep);
        response
    }
}

/// Renders the list of operations by tag; the tag of the page is unfolded.
fn list(reference: &Reference, path: &str) -> Markup {
    let document = reference.document();
    html! {
        nav.list id="list" aria-label="Operations" {
            (filter("list", "Filter operations"))
            @for (tag, _) in document.tags() {
                @let operations: Vec<_> = document.operations().filter(|one| one.tag() == tag).collect();
                @let open = operations.iter().any(|one| path_of(one) == path);
                @if !operations.is_empty() {
                    details data-group open[open] {
                        summary { (tag.replace('_', " ")) }
                        ul {
                            @for operation in &operations {
                                @let own = path_of(operation);
                                li data-words=(words(operation)) data-id=(operation.id()) {
                                    a href=(own) aria-current=[(own == path).then_some("page")] {
                                        (method(operation.method)) " "
                                        span.is-deprecated[operation.is_deprecated()] { (operation.summary()) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            details data-group open[path == EVENTS] {
                summary { "events" }
                ul {
                    @for event in document.events() {
                        li data-words=(event_words(&event)) data-id=(event.id()) {
                            a.one-line href={ (EVENTS) "#" (event.id()) } {
                                span.is-deprecated[event.is_deprecated()] { (event.summary()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Path of the page of all events.
pub(super) const EVENTS: &str = "/docs/events";

fn event_words(event: &Operation<'_>) -> String {
    format!("{} {} event", event.path, event.summary()).to_lowercase()
}

/// Item of an event in a filtered list.
pub(super) fn event_item(event: &Operation<'_>) -> Markup {
    html! {
        li data-words=(event_words(event)) data-id=(event.id()) {
            a href={ (EVENTS) "#" (event.id()) } {
                span.what.is-deprecated[event.is_deprecated()] { (event.summary()) }
                @if event.is_deprecated() { " " span.deprecated { "deprecated" } }
                " " span.where { code { (event.path) } }
            }
        }
    }
}

/// Filter field of a list, which needs JavaScript. `/docs/search.json` has further terms of items.
pub(super) fn filter(of: &str, label: &str) -> Markup {
    let id = format!("filter-{of}");
    let hint = format!("{id}-hint");
    html! {
        div.filter hidden {
            label for=(id) { (label) }
            input id=(id) type="search" autocomplete="off" spellcheck="false" aria-describedby=(hint)
                data-filter=(of) data-index="/docs/search.json";
            p.quiet id=(hint) { "By title, path, field, schema, resource or event." }
            p.quiet role="status" data-none hidden { "Nothing has all of these words." }
        }
    }
}

/// Returns the text of an operation that a filter searches.
pub(super) fn words(operation: &Operation<'_>) -> String {
    let Operation { method, path, .. } = operation;
    let (id, summary, tag) = (operation.id(), operation.summary(), operation.tag());
    format!("{method} {path} {summary} {id} {tag}").to_lowercase()
}

/// Renders the method of a request.
pub(super) fn method(method: &str) -> Markup {
    html! { span class={ "method " (method) } { (method.to_uppercase()) } }
}

/// Code that may be wider than the page, and can be scrolled by keyboard, too.
pub(super) fn code(label: &str, id: Option<&str>, text: &str) -> Markup {
    html! {
        section.code aria-label=(label) {
            p.bar { span { (label) } }
            pre tabindex="0" { code id=[id] { (text) } }
        }
    }
}

/// Returns the page for a URL that does not exist.
pub(super) fn missing(reference: &Reference) -> Response {
    let page = Page {
        title: "Not found",
        path: "",
        content: html! {
            h1 { "Not found" }
            p { "There is no such page in the reference. " a href="/docs" { "All operations" } }
        },
        keep: Keep::Revalidated,
    };
    let mut response = page.response(reference);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
