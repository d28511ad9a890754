//! Serves the interface's own description.

use axum::Router;
use axum::routing::get;
use wearlab_server::{HeaderPrefix, OPENAPI_JSON, OPENAPI_YAML, content};

/// `/openapi.json` and `/openapi.yaml`, which need no key. They name the headers as they are here.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(prefix: &HeaderPrefix) -> Router<S> {
    let json = with_prefix(OPENAPI_JSON, prefix);
    let yaml = with_prefix(OPENAPI_YAML, prefix);
    Router::new()
        .route("/openapi.json", get(async move || content("application/json", json)))
        .route("/openapi.yaml", get(async move || content("application/yaml", yaml)))
}

/// The document with the headers as they are here.
pub(crate) fn with_prefix(document: &str, prefix: &HeaderPrefix) -> String {
    let word = prefix.as_str();
    document
        .replace("x-service-", &format!("x-{word}-"))
        .replace("X-Service-", &format!("X-{}-", capitalised(word)))
}

/// Each part with a capital letter, as header names are written.
fn capitalised(word: &str) -> String {
    let part = |part: &str| match part.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => part.to_owned(),
    };
    word.split('-').map(part).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use wearlab_server::HeaderPrefix;

    use super::with_prefix;

    #[test]
    fn headers_keep_their_case() {
        let text = "x-service-api-key, X-Service-Org-Key";
        for (word, named) in [
            ("service", text),
            ("my-brand", "x-my-brand-api-key, X-My-Brand-Org-Key"),
        ] {
            let prefix = HeaderPrefix::new(word).expect("a prefix");
            assert_eq!(with_prefix(text, &prefix), named);
        }
    }
}
