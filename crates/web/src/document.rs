//! Serves the OpenAPI and AsyncAPI documents.

use axum::Router;
use axum::body::Bytes;
use axum::routing::get;
use wearlab_server::{ASYNCAPI_JSON, HeaderPrefix, OPENAPI_JSON, OPENAPI_YAML, content};

/// Path, media type and text of each document: the requests in two formats, and the events.
const DOCUMENTS: [(&str, &str, &str); 3] = [
    ("/openapi.json", "application/json", OPENAPI_JSON),
    ("/openapi.yaml", "application/yaml", OPENAPI_YAML),
    ("/asyncapi.json", "application/json", ASYNCAPI_JSON),
];

/// Returns the routes of the documents, which need no key, with the header prefix of this service.
pub fn routes<S: Clone + Send + Sync + 'static>(prefix: &HeaderPrefix) -> Router<S> {
    DOCUMENTS.iter().fold(Router::new(), |router, (path, kind, text)| {
        let text = Bytes::from(with_prefix(text, prefix));
        router.route(path, get(async move || content(kind, text)))
    })
}

/// Returns a document with the header prefix of this service.
pub fn with_prefix(document: &str, prefix: &HeaderPrefix) -> String {
    let word = prefix.as_str();
    document
        .replace("x-service-", &format!("x-{word}-"))
        .replace("X-Service-", &format!("X-{}-", capitalised(word)))
}

/// Capitalises each part of a header name.
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
