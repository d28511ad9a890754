//! Sends a call: builds its request, retries it, and reads the response.

mod body;
mod parameters;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, IF_NONE_MATCH, USER_AGENT};
use reqwest::{StatusCode, Url};
use serde::de::DeserializeOwned;
use tracing::{Instrument, Span, debug, info};
use wearlab_kit_types::LineBuffer;

use crate::body::Body;
use crate::call::Call;
use crate::clock::Deadline;
use crate::credentials::Sent;
use crate::event_stream::EventStream;
use crate::operation::TARGET;
use crate::payload::Payload;
use crate::response::Response;
use crate::stream::{ByteStream, Lines};
use crate::{Document, Error, path, retry};

/// A call on its way out, with its parameters as text. The first invalid one is reported.
pub struct Request<'a, D: Document> {
    call: Call<'a, D>,
    path: Vec<String>,
    query: Vec<(Cow<'static, str>, String)>,
    headers: HeaderMap,
    body: Payload,
    /// True if the service recognises a repetition by a key.
    has_key: bool,
    /// True if a redirect is a response like others.
    redirects: bool,
    complaint: Option<String>,
}

impl<'a, D: Document> Request<'a, D> {
    /// Begins the request of a call.
    pub fn new(call: Call<'a, D>) -> Self {
        Self {
            call,
            path: Vec::new(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: Payload::None,
            has_key: false,
            redirects: false,
            complaint: None,
        }
    }

    /// The media type of the response.
    pub fn accept(mut self, media_type: &'static str) -> Self {
        self.headers.insert(ACCEPT, HeaderValue::from_static(media_type));
        self
    }

    /// The document declares redirects: they are not followed, and are not errors.
    pub fn redirects(mut self) -> Self {
        self.redirects = true;
        self
    }

    fn complain(&mut self, complaint: String) {
        self.complaint.get_or_insert(complaint);
    }

    /// Sends it, and reads the response as a `T`.
    pub async fn send<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
        let raw = self.send_raw().await?;
        let value = raw.decode()?;
        Ok(raw.replace(value))
    }

    /// Sends it, and ignores the body of the response.
    pub async fn send_empty(self) -> Result<Response<()>, Error> {
        let raw = self.send_raw().await?;
        Ok(raw.replace(()))
    }

    /// Sends it, and reads the response as text.
    pub async fn send_text(self) -> Result<Response<String>, Error> {
        let raw = self.send_raw().await?;
        let text = String::from_utf8_lossy(&raw).into_owned();
        Ok(raw.replace(text))
    }

    /// Sends it, and leaves the body of the response to the caller.
    pub async fn send_bytes(self) -> Result<Response<ByteStream>, Error> {
        self.send_as(|response, _| std::future::ready(Ok(Response::begin(response))))
            .await
    }

    /// Sends it, and leaves the lines of the response to the caller.
    pub async fn send_lines<T: DeserializeOwned>(self) -> Result<Response<Lines<T>>, Error> {
        self.send_parts(|bytes, most| Lines::new(bytes, LineBuffer::default(), most))
            .await
    }

    /// Sends it, and leaves the texts of the response, which are a sequence, to the caller.
    pub async fn send_sequence<T: DeserializeOwned>(self) -> Result<Response<Lines<T>>, Error> {
        self.send_parts(|bytes, most| Lines::new(bytes, LineBuffer::sequence(), most))
            .await
    }

    /// Sends it, and leaves the events of the response, whose data are JSON, to the caller.
    pub async fn send_events<T: DeserializeOwned>(self) -> Result<Response<EventStream<T>>, Error> {
        self.send_parts(EventStream::json).await
    }

    /// Sends it, and leaves the events of the response, whose data are text, to the caller.
    pub async fn send_text_events(self) -> Result<Response<EventStream<String>>, Error> {
        self.send_parts(EventStream::text).await
    }

    /// Sends it, and reads the response in parts of up to some bytes.
    async fn send_parts<S>(self, parts: impl FnOnce(ByteStream, u64) -> S) -> Result<Response<S>, Error> {
        let most = self.call.transport.inner.max_response_bytes;
        let response = self.send_bytes().await?;
        Ok(response.map(|bytes| parts(bytes, most)))
    }

    /// Adds a condition: only content with another entity tag is returned.
    pub fn if_none_match(mut self, etag: &str) -> Self {
        match HeaderValue::try_from(etag) {
            // A header of the call itself comes before those of its parameters.
            Ok(etag) => drop(self.call.headers.insert(IF_NONE_MATCH, etag)),
            Err(_) => self.complain("the entity tag is not printable ASCII".to_owned()),
        }
        self
    }

    /// Sends it, in a span that is named after the operation.
    pub async fn send_raw(self) -> Result<Response<Body>, Error> {
        self.send_as(Response::read).await
    }

    /// Sends it, and reads a successful response by `read`.
    async fn send_as<T, R>(self, read: impl Fn(reqwest::Response, u64) -> R) -> Result<Response<T>, Error>
    where
        R: Future<Output = Result<Response<T>, Error>>,
    {
        let span = (self.call.operation.span)();
        let answer = self.tries(&span, read).instrument(span.clone()).await;
        let (status, request_id) = match &answer {
            Ok(response) => (Some(response.status()), response.request_id()),
            Err(error) => (error.status(), error.request_id()),
        };
        span.record("http.response.status_code", status.map(|status| status.as_u16()));
        span.record("request_id", request_id);
        answer
    }

    async fn tries<T, R>(&self, span: &Span, read: impl Fn(reqwest::Response, u64) -> R) -> Result<Response<T>, Error>
    where
        R: Future<Output = Result<Response<T>, Error>>,
    {
        let (call, client) = (&self.call, &self.call.transport.inner);
        let policy = call.retry.unwrap_or(client.retry);
        let timeout = call.timeout.or(client.times.timeout);
        let deadline = Deadline::after(client.times.deadline(call.timeout, call.deadline));
        let mut tried = 0;
        let mut refused = None;
        loop {
            tried += 1;
            // Built anew, not copied: second attempts are rare.
            let mut url = self.url()?;
            let credentials = client.credentials.of(call.operation, refused.as_ref()).await?;
            let headers = self.headers(&credentials, &mut url)?;
            let mut request = reqwest::Request::new(call.operation.method.clone(), url);
            *request.headers_mut() = headers;
            *request.body_mut() = self.body.take(call.watcher.as_ref());
            *request.timeout_mut() = [timeout, deadline.left()].into_iter().flatten().min();
            span.record("tries", tried);
            let error = match self.attempt(request, &read).await {
                Ok(response) => {
                    debug!(target: TARGET, tried, status = response.status().as_u16(), "response received");
                    return Ok(response);
                }
                Err(error) => error,
            };
            // Not the error's own text: it may repeat values of parameters.
            debug!(target: TARGET, tried, error = error.kind(), "failed");
            // A provided token may have expired. Another one is obtained once, which is not a retry.
            if matches!(error, Error::Unauthorized(_))
                && refused.is_none()
                && self.body.is_repeatable()
                && let Some(token) = credentials.provided()
            {
                refused = Some(token);
                tried -= 1;
                continue;
            }
            // A second request could do the same once more, unless the service recognises it or the first was not sent.
            let safe = self.has_key || call.operation.method.is_idempotent() || error.is_connect();
            let repeatable = safe && self.body.is_repeatable();
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

    async fn attempt<T, R>(
        &self,
        request: reqwest::Request,
        read: impl Fn(reqwest::Response, u64) -> R,
    ) -> Result<Response<T>, Error>
    where
        R: Future<Output = Result<Response<T>, Error>>,
    {
        let http = &self.call.transport.inner.http;
        let response = http
            .execute(request)
            .await
            .map_err(|error| Error::broken(error, None))?;
        let status = response.status();
        let redirect = self.redirects && status.is_redirection() && status != StatusCode::NOT_MODIFIED;
        if status.is_success() || redirect {
            read(response, self.call.transport.inner.max_response_bytes).await
        } else {
            Err(Error::from_response(response).await)
        }
    }

    /// The URL of the call.
    fn url(&self) -> Result<Url, Error> {
        self.call.check()?;
        if let Some(complaint) = &self.complaint {
            return Err(Error::invalid_request(complaint.as_str()));
        }
        let operation = self.call.operation;
        let server = self.call.transport.inner.addresses.of(operation.server);
        let url = format!("{server}{}", path::fill(operation.path, &self.path)?);
        let mut url = Url::parse(&url).map_err(|error| Error::invalid_request(error.to_string()))?;
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }

    /// All headers of the call. Those of the call itself precede those of the client.
    fn headers(&self, credentials: &Sent<D>, url: &mut Url) -> Result<HeaderMap, Error> {
        let client = &self.call.transport.inner;
        let mut headers = self.headers.clone();
        let json = HeaderValue::from_static("application/json");
        headers.entry(ACCEPT).or_insert(json);
        if let Some(agent) = &client.user_agent {
            headers.insert(USER_AGENT, agent.clone());
        }
        client.credentials.apply(credentials, url, &mut headers)?;
        for (name, value) in &self.call.headers {
            headers.insert(name, value.clone());
        }
        Ok(headers)
    }
}

/// A response to a request with `If-None-Match`; `None` if it is 304.
pub fn changed<T>(response: Result<Response<T>, Error>) -> Result<Option<Response<T>>, Error> {
    match response {
        Err(Error::NotModified(_)) => Ok(None),
        response => response.map(Some),
    }
}
