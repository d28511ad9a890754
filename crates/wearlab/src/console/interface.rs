//! Calls of the interface's operations, in this process.

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

use super::error::PageError;
use crate::Service;

/// The most bytes of a response that a page is made of.
const MOST: usize = 64 * 1024 * 1024;

/// The operations of a service.
#[derive(Clone)]
pub(super) struct Interface {
    router: Router,
}

/// A call that is being put together.
pub(super) struct Call<'i> {
    router: &'i Router,
    operation: &'static Operation,
    credential: (&'static str, Secret),
    path: String,
    query: Vec<(&'static str, String)>,
    idempotency_key: Option<String>,
    body: Option<String>,
}

impl Interface {
    pub(super) fn new(service: Arc<Service>) -> Self {
        Self {
            router: wearlab_server::router(service),
        }
    }

    /// A call with a credential, in the header that has it.
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
            path: filled(operation.path, path),
            query: Vec::new(),
            idempotency_key: None,
            body: None,
        }
    }
}

impl Call<'_> {
    /// A parameter of the query, where there is a value.
    pub(super) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Makes a repeat of the form the same request.
    pub(super) fn idempotency_key(mut self, key: Option<&str>) -> Self {
        self.idempotency_key = key.map(str::to_owned);
        self
    }

    /// The body.
    pub(super) fn body(self, body: &Value) -> Self {
        Self {
            body: Some(body.to_string()),
            ..self
        }
    }

    /// Calls it, and decodes the response.
    pub(super) async fn get<T: DeserializeOwned>(self) -> Result<T, PageError> {
        let bytes = self.send().await?;
        serde_json::from_slice(&bytes).map_err(PageError::internal)
    }

    /// Calls it, for its effect.
    pub(super) async fn act(self) -> Result<(), PageError> {
        self.send().await.map(drop)
    }

    async fn send(self) -> Result<Bytes, PageError> {
        let mut uri = self.path;
        if !self.query.is_empty() {
            let mut query = oauth2::url::form_urlencoded::Serializer::new(String::new());
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
        let bytes = whole(response.into_body()).await?;
        match status.is_success() {
            true => Ok(bytes),
            false => Err(refusal(status, &bytes)),
        }
    }
}

/// A body, which a page has in memory.
async fn whole(body: Body) -> Result<Bytes, PageError> {
    let (mut parts, mut bytes) = (body.into_data_stream(), Vec::new());
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(PageError::internal)?);
        if bytes.len() > MOST {
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

/// A path with its parameters, in order.
fn filled(template: &str, parameters: &[&str]) -> String {
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
    use super::filled;

    #[test]
    fn parameters_stay_within_their_segments() {
        let path = filled("/v1/org/{org_id}/teams/{team_id}", &["a/../b?c", "ö"]);
        assert_eq!(path, "/v1/org/a%2F%2E%2E%2Fb%3Fc/teams/%C3%B6");
    }
}
