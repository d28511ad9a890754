//! In-process client of the operations.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Request, StatusCode};
use futures_util::StreamExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::ServiceExt;
use wearlab_models::{Problem, Secret};
use wearlab_server::{Operation, RequestId};
use wearlab_service::Service;

use super::error::PageError;

/// Maximum body of a response, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// Client that calls the operations of a service without a network.
#[derive(Clone)]
pub(super) struct ApiClient {
    router: Router,
}

/// Builder of a call.
pub(super) struct Call<'i> {
    router: &'i Router,
    operation: &'static Operation,
    credential: (&'static str, Secret),
    path: String,
    query: Vec<(&'static str, String)>,
    idempotency_key: Option<String>,
    body: Option<String>,
}

impl ApiClient {
    pub(super) fn new(service: Arc<Service>) -> Self {
        Self {
            router: wearlab_server::router(service),
        }
    }

    /// Begins a call with a credential in a header.
    pub(super) fn call(
        &self,
        operation: &'static Operation,
        header: &'static str,
        credential: Secret,
        path: &[&str],
    ) -> Call<'_> {
        Call {
            router: &self.router,
            operation,
            credential: (header, credential),
            path: fill_path(operation.path, path),
            query: Vec::new(),
            idempotency_key: None,
            body: None,
        }
    }
}

impl Call<'_> {
    /// Adds a parameter of the query, if it has a value.
    pub(super) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Sets the idempotency key: a repeat of the form is the same request.
    pub(super) fn idempotency_key(mut self, key: Option<&str>) -> Self {
        self.idempotency_key = key.map(str::to_owned);
        self
    }

    /// Sets the body.
    pub(super) fn body(self, body: &Value) -> Self {
        Self {
            body: Some(body.to_string()),
            ..self
        }
    }

    /// Calls the operation, and decodes the response.
    pub(super) async fn get<T: DeserializeOwned>(self) -> Result<T, PageError> {
        let bytes = self.send().await?;
        serde_json::from_slice(&bytes).map_err(PageError::internal)
    }

    /// Calls the operation, and drops the response.
    pub(super) async fn act(self) -> Result<(), PageError> {
        self.send().await.map(drop)
    }

    async fn send(self) -> Result<Bytes, PageError> {
        let mut uri = self.path;
        if !self.query.is_empty() {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&self.query);
            uri = format!("{uri}?{}", query.finish());
        }
        let (header, credential) = self.credential;
        let mut request = Request::builder()
            .method(self.operation.method.clone())
            .uri(uri)
            .header(header, credential.expose());
        if let Some(id) = RequestId::current() {
            request = request.header("X-Request-Id", id.as_str());
        }
        if let Some(key) = self.idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        if self.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let request = request.body(self.body.map_or_else(Body::empty, Body::from));
        let request = request.map_err(PageError::internal)?;
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status();
        let bytes = read_body(response.into_body()).await?;
        match status.is_success() {
            true => Ok(bytes),
            false => Err(refusal(status, &bytes)),
        }
    }
}

/// Reads a body into memory.
async fn read_body(body: Body) -> Result<Bytes, PageError> {
    let (mut parts, mut bytes) = (body.into_data_stream(), Vec::new());
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(PageError::internal)?);
        if bytes.len() > MAX_BODY {
            return Err(PageError::too_long());
        }
    }
    Ok(bytes.into())
}

fn refusal(status: StatusCode, body: &[u8]) -> PageError {
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) => PageError::refused(status, problem),
        Err(error) => PageError::internal(error),
    }
}

/// Fills in the parameters of a path, in order.
fn fill_path(template: &str, parameters: &[&str]) -> String {
    let mut parameters = parameters.iter();
    let mut next = || parameters.next().copied().unwrap_or_default();
    let segments = template.split('/').map(|segment| match segment.starts_with('{') {
        true => utf8_percent_encode(next(), NON_ALPHANUMERIC).to_string(),
        false => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::fill_path;

    #[test]
    fn parameters_stay_within_their_segments() {
        let path = fill_path("/v1/org/{org_id}/teams/{team_id}", &["a/../b?c", "ö"]);
        assert_eq!(path, "/v1/org/a%2F%2E%2E%2Fb%3Fc/teams/%C3%B6");
    }
}
