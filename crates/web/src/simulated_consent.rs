//! Consent page of a provider that a demo simulates. It has no sign-in.

use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::page_headers::PageHeaders;

const STYLE: &str = include_str!("pages/style.css");

/// Returns the page. `scopes` are those that the application requests; `allow` and `deny` are URLs of the application.
pub fn page(provider: &str, scopes: &[String], allow: &str, deny: &str) -> Response {
    let content = html! {
        p.simulated { strong { "Simulated by the demo." } " Nobody signs in here, and nothing leaves this machine." }
        h1 { "Share your " (provider) " data?" }
        p { "The app would like to read: " strong { (scopes.join(", ")) } "." }
        p { a.button href=(allow) { "Allow" } }
        p { a href=(deny) { "Do not allow" } }
    };
    document(
        StatusCode::OK,
        &format!("Simulated consent page of {provider}"),
        &content,
    )
}

/// Returns the page for a request of another application than the demo.
pub fn refusal() -> Response {
    let content = html! {
        h1 { "This request is not of the demo" }
        p { "The simulated provider links users of its own demo alone." }
    };
    document(StatusCode::BAD_REQUEST, "Not of the demo", &content)
}

fn document(status: StatusCode, title: &str, content: &Markup) -> Response {
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (content) } }
        }
    };
    let mut response = wearlab_server::content("text/html; charset=utf-8", text.into_string());
    *response.status_mut() = status;
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    );
    let headers = PageHeaders {
        policy: HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'")),
        cache: "no-store",
        referrer: "no-referrer",
    };
    headers.mark(&mut response);
    response
}
