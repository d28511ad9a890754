//! Page `/` of a demo: its URLs and keys, and a first request.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use maud::{Markup, html};
use wearlab_server::HeaderPrefix;

use super::demo::{Demo, RequestHost};
use super::layout::{Page, code};
use super::policy::Keep;
use super::site::Reference;

pub(super) async fn show(State(reference): State<Arc<Reference>>, request: Request) -> Response {
    let content = html! {
        h1 { "Wearlab demo" }
        p { "A service with sample data is running. What you change is kept until it ends, unless it was started with " code { "--data" } "." }
        @match reference.keys(&RequestHost::of(&request)) {
            Some(demo) => (shown(demo, &reference.prefix)),
            None => (withheld()),
        }
    };
    let page = Page {
        title: "Demo",
        path: "/",
        content,
        keep: Keep::Never,
    };
    page.alone(&reference)
}

fn shown(demo: &Demo, prefix: &HeaderPrefix) -> Markup {
    let console = format!("{}/console", demo.management_url);
    let keys = [
        ("Team API key", "teamApiKey"),
        ("Management key", "managementKey"),
        ("Link token", "linkToken"),
    ];
    let values = [
        ("Organisation", "org_id"),
        ("Team", "team_id"),
        ("User", "user_id"),
        ("Lab test", "lab_test_id"),
        ("Lab account", "lab_account_id"),
        ("OAuth provider", "oauth_provider"),
    ];
    let key = demo.key("teamApiKey").unwrap_or_default();
    let url = &demo.base_url;
    let header = prefix.name("x-service-api-key");
    let curl = format!("curl -H '{header}: {key}' '{url}/v2/user/?limit=2'");
    html! {
        ul.cards {
            (card("/docs", "API reference", "Every operation with samples, and a form that sends it."))
            (card(&console, "Console", "Teams, users and their data, destinations and events. Its key is filled in."))
            (card(&demo.link_url, "Link page", "Where the printed user links a provider, which the demo simulates."))
        }
        h2 { "A first request" }
        (code("curl", Some("first-request"), &curl))
        h2 { "URLs and keys" }
        dl.facts {
            (fact("Service", url))
            (fact("Management", &demo.management_url))
            @for (name, scheme) in keys { @if let Some(key) = demo.key(scheme) { (fact(name, key)) } }
        }
        h2 { "Ids in the data" }
        dl.facts {
            @for (name, parameter) in values { @if let Some(value) = demo.value(parameter) { (fact(name, value)) } }
        }
    }
}

fn card(url: &str, title: &str, about: &str) -> Markup {
    html! {
        li { a href=(url) { span.what { (title) } " " span.quiet { (about) } } }
    }
}

fn fact(name: &str, value: &str) -> Markup {
    html! {
        div { dt { (name) } dd { code data-copy { (value) } } }
    }
}

/// Notice in place of keys: the host may belong to someone else.
fn withheld() -> Markup {
    html! {
        p.notice {
            "Keys are shown where this page is opened as " code { "localhost" } " or by a loopback address, such as " code { "127.0.0.1" } ". The demo printed them when it started."
        }
        ul.cards { (card("/docs", "API reference", "Every operation with samples.")) }
    }
}
