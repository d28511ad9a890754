//! Sends a call: puts its request together, tries it as often as it may be, and reads the response.

use std::fmt::Display;

use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, USER_AGENT};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tracing::{Instrument, Span, debug, info};

use crate::call::Call;
use crate::clock::Deadline;
use crate::response::{Body, Response};
use crate::{Error, path, retry};

/// The target of all that the client says through `tracing`.
pub(crate) const TARGET: &str = "wearlab_client";

/// A call on its way out, with its parameters as text. The first invalid one is reported.
pub(crate) struct Request<'a> {
    call: Call<'a>,
    path: Vec<String>,
    query: Vec<(&'static str, String)>,
    headers: HeaderMap,
    body: Option<Bytes>,
    complaint: Option<String>,
}

#[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
impl<'a> Request<'a> {
    pub(crate) fn new(call: Call<'a>) -> Self {
        Self {
            call,
            path: Vec::new(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            complaint: None,
        }
    }

    /// The next parameter of the path.
    pub(crate) fn path<T: Display>(mut self, value: Result<T, String>) -> Self {
        if let Some(text) = self.text(value.map(Some)) {
            self.path.push(text);
        }
        self
    }

    pub(crate) fn query<T: Display>(mut self, name: &'static str, value: Result<Option<T>, String>) -> Self {
        if let Some(text) = self.text(value) {
            self.query.push((name, text));
        }
        self
    }

    pub(crate) fn header<T: Display>(mut self, name: &'static str, value: Result<Option<T>, String>) -> Self {
        let Some(text) = self.text(value) else { return self };
        match (HeaderName::try_from(name), HeaderValue::try_from(text)) {
            (Ok(name), Ok(value)) => drop(self.headers.insert(name, value)),
            _ => self.complain(format!("{name}: the value is not printable ASCII")),
        }
        self
    }

    /// The body, as JSON.
    pub(crate) fn json<T: Serialize>(mut self, value: Option<&T>) -> Self {
        let Some(value) = value else { return self };
        self.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match serde_json::to_vec(value) {
            Ok(body) => self.body = Some(body.into()),
            // Not the error's own text: it may repeat the value.
            Err(_) => self.complain("body: the value cannot be encoded as JSON".to_owned()),
        }
        self
    }

    fn text<T: Display>(&mut self, value: Result<Option<T>, String>) -> Option<String> {
        match value {
            Ok(value) => value.map(|value| value.to_string()),
            Err(complaint) => {
                self.complain(complaint);
                None
            }
        }
    }

    fn complain(&mut self, complaint: String) {
        self.complaint.get_or_insert(complaint);
    }

    /// Sends it, and reads the response as a `T`.
    pub(crate) async fn send<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
        let raw = self.send_raw().await?;
        let value = raw.decode()?;
        Ok(raw.replace(value))
    }

    /// Sends it, and ignores the body of the response.
    pub(crate) async fn send_empty(self) -> Result<Response<()>, Error> {
        let raw = self.send_raw().await?;
        Ok(raw.replace(()))
    }

    /// Sends it with `If-None-Match`, and reads the response as a `T`; `None` if it is 304.
    pub(crate) async fn send_if_none_match<T: DeserializeOwned>(
        mut self,
        etag: &str,
    ) -> Result<Option<Response<T>>, Error> {
        match HeaderValue::try_from(etag) {
            // A header of the call itself comes before those of its parameters.
            Ok(etag) => drop(self.call.headers.insert(IF_NONE_MATCH, etag)),
            Err(_) => self.complain("the entity tag is not printable ASCII".to_owned()),
        }
        match self.send().await {
            Err(Error::NotModified(_)) => Ok(None),
            response => response.map(Some),
        }
    }

    /// Sends it. What is said of it is said in a span that is named after the operation.
    pub(crate) async fn send_raw(self) -> Result<Response<Body>, Error> {
        let span = (self.call.operation.span)();
        let answer = self.tries(&span).instrument(span.clone()).await;
        let (status, request_id) = match &answer {
            Ok(response) => (Some(response.status()), response.request_id()),
            Err(error) => (error.status(), error.request_id()),
        };
        span.record("http.response.status_code", status.map(|status| status.as_u16()));
        span.record("request_id", request_id);
        answer
    }

    async fn tries(&self, span: &Span) -> Result<Response<Body>, Error> {
        let (call, client) = (&self.call, &self.call.client.inner);
        let policy = call.retry.unwrap_or(client.retry);
        let timeout = call.timeout.or(client.times.timeout);
        let deadline = Deadline::after(client.times.deadline(call.timeout, call.deadline));
        let mut tried = 0;
        loop {
            tried += 1;
            // Made anew, not copied: there is hardly ever a second try.
            let mut request = reqwest::Request::new(call.operation.method.clone(), self.url()?);
            *request.headers_mut() = self.headers()?;
            *request.body_mut() = self.body.clone().map(reqwest::Body::from);
            *request.timeout_mut() = [timeout, deadline.left()].into_iter().flatten().min();
            span.record("tries", tried);
            let error = match self.attempt(request).await {
                Ok(response) => {
                    debug!(target: TARGET, tried, status = response.status().as_u16(), "response received");
                    return Ok(response);
                }
                Err(error) => error,
            };
            // Not the error's own text: it may repeat values of parameters.
            debug!(target: TARGET, tried, error = error.kind(), "failed");
            // A second request could do the same once more, unless the first was not sent.
            let repeatable = call.operation.method.is_idempotent() || error.is_connect();
            let pause = policy.pause(&error, tried, retry::random());
            let Some(length) = pause.filter(|_| repeatable) else {
                return Err(error);
            };
            let Some(pause) = deadline.pause(length) else {
                return Err(error);
            };
            info!(target: TARGET, tried, error = error.kind(), pause = ?length, "trying again after a pause");
            pause.await;
        }
    }

    async fn attempt(&self, request: reqwest::Request) -> Result<Response<Body>, Error> {
        let http = &self.call.client.inner.http;
        let response = http
            .execute(request)
            .await
            .map_err(|error| Error::broken(error, None))?;
        if response.status().is_success() {
            Response::read(response, self.call.client.inner.max_response_bytes).await
        } else {
            Err(Error::from_response(response).await)
        }
    }

    /// The address of the call.
    fn url(&self) -> Result<Url, Error> {
        self.call.check()?;
        if let Some(complaint) = &self.complaint {
            return Err(Error::invalid_request(complaint.as_str()));
        }
        let operation = self.call.operation;
        let server = self.call.client.inner.addresses.of(operation.server);
        let url = format!("{server}{}", path::fill(operation.path, &self.path)?);
        let mut url = Url::parse(&url).map_err(|error| Error::invalid_request(error.to_string()))?;
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }

    /// All headers of the call. Those of the call itself come before what the client would send.
    fn headers(&self) -> Result<HeaderMap, Error> {
        let client = &self.call.client.inner;
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(agent) = &client.user_agent {
            headers.insert(USER_AGENT, agent.clone());
        }
        client.credentials.apply(self.call.operation, &mut headers)?;
        for (name, value) in &self.call.headers {
            headers.insert(name, value.clone());
        }
        Ok(headers)
    }
}
