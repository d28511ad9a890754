//! `Cache-Control`: who may store a response, and for how long.

use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use wearlab_server::Operation;
use wearlab_server::operations::{
    EXPORT_USER, GET_ACCESS_TOKEN, GET_EVENT, GET_KEY, GET_OAUTH_PROVIDER, GET_ORDER, GET_ORDER_REQUISITION,
    GET_ORDER_RESULT, GET_ORDER_RESULT_FHIR, GET_ORDER_RESULT_METADATA, GET_PIPELINE, GET_PROVIDER_SETTINGS,
    GET_WEBHOOK, LIST_CANCELLATION_REASONS, LIST_EVENTS, LIST_KEYS, LIST_LINK_TOKENS, LIST_ORDERS,
    LIST_PROVIDER_SETTINGS, LIST_PROVIDERS, LIST_TEAM_PIPELINES, LIST_WEBHOOKS, SEARCH_DIAGNOSES,
};

use crate::config::http::HttpSettings;

/// What is the same for every team.
const CATALOGUES: [&str; 3] = [LIST_PROVIDERS.id, SEARCH_DIAGNOSES.id, LIST_CANCELLATION_REASONS.id];

/// Credentials and what belongs to them, and data of patients. Events carry orders.
const UNSTORED: [&str; 20] = [
    EXPORT_USER.id,
    GET_ACCESS_TOKEN.id,
    GET_EVENT.id,
    GET_KEY.id,
    GET_OAUTH_PROVIDER.id,
    GET_ORDER.id,
    GET_ORDER_REQUISITION.id,
    GET_ORDER_RESULT.id,
    GET_ORDER_RESULT_FHIR.id,
    GET_ORDER_RESULT_METADATA.id,
    GET_PIPELINE.id,
    GET_PROVIDER_SETTINGS.id,
    GET_WEBHOOK.id,
    LIST_EVENTS.id,
    LIST_KEYS.id,
    LIST_LINK_TOKENS.id,
    LIST_ORDERS.id,
    LIST_PROVIDER_SETTINGS.id,
    LIST_TEAM_PIPELINES.id,
    LIST_WEBHOOKS.id,
];

/// What responses are marked with.
pub(super) struct Policy {
    catalogue: HeaderValue,
}

impl Policy {
    pub(super) fn of(settings: &HttpSettings) -> Self {
        let text = format!("private, max-age={}", settings.catalogue_max_age.as_secs());
        let catalogue = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("private, no-cache"));
        Self { catalogue }
    }
}

/// `Cache-Control` of the response to one request.
pub(super) struct CacheControl(HeaderValue);

impl Policy {
    /// Catalogues may be stored for a while. Reads of credentials and of patients are not stored. Every other read is
    /// revalidated each time by its entity tag. Responses to writes, which may carry a secret that is shown once, are not
    /// stored, nor are errors.
    ///
    /// Shared caches store neither, and a private one asks with whatever key its user has. So responses need not vary by
    /// the headers of credentials.
    pub(super) fn of_request(&self, request: &Request, operation: Option<&Operation>) -> CacheControl {
        let is_one_of = |ids: &[&str]| operation.is_some_and(|operation| ids.contains(&operation.id));
        CacheControl(if is_one_of(&CATALOGUES) {
            self.catalogue.clone()
        } else if request.method().is_safe() && !is_one_of(&UNSTORED) {
            HeaderValue::from_static("private, no-cache")
        } else {
            HeaderValue::from_static("no-store")
        })
    }
}

impl CacheControl {
    /// Marks a successful response, unless it is marked.
    pub(super) fn mark(self, response: &mut Response) {
        if response.status().is_success() {
            response.headers_mut().entry(CACHE_CONTROL).or_insert(self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use wearlab_server::operations;

    use super::UNSTORED;

    /// Whether a schema, with those that it refers to, has a secret.
    fn has_secret(document: &Value, schema: &Value, seen: &mut Vec<String>) -> bool {
        match schema {
            Value::Object(members) => {
                if members.get("format").is_some_and(|format| format == "password") {
                    return true;
                }
                let reference = members.get("$ref").and_then(Value::as_str);
                let target = reference.filter(|target| !seen.iter().any(|known| known == target));
                if let Some(pointer) = target.and_then(|target| target.strip_prefix('#')) {
                    seen.push(format!("#{pointer}"));
                    let found = document.pointer(pointer).expect("a schema");
                    if has_secret(document, found, seen) {
                        return true;
                    }
                }
                members.values().any(|member| has_secret(document, member, seen))
            }
            Value::Array(items) => items.iter().any(|item| has_secret(document, item, seen)),
            _ => false,
        }
    }

    #[test]
    fn every_read_of_a_secret_or_of_an_order_is_unstored() {
        let document: Value = serde_json::from_str(wearlab_server::OPENAPI_JSON).expect("JSON");
        let mut found = 0;
        for operation in operations::ALL.iter().filter(|operation| operation.method.is_safe()) {
            let described = &document["paths"][operation.path][operation.method.as_str().to_lowercase()];
            let success = &described["responses"]["200"];
            if has_secret(&document, success, &mut Vec::new()) || described["tags"][0] == "orders" {
                assert!(UNSTORED.contains(&operation.id), "{}", operation.id);
                found += 1;
            }
        }
        assert!(found > 8, "{found}");
    }
}
