//! Responses of `text/event-stream`, which axum writes.

use std::fmt;

use axum::body::Body;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use serde::Serialize;
use wearlab_kit_types::ServerSentEvent;

use crate::ApiError;

/// Events of a response (`text/event-stream`), which are sent as they are produced. The data of an event are sent as JSON, or
/// as text, as the document has it.
///
/// A comment is sent after 15 seconds without an event, so that proxies keep the connection. An error is logged and aborts
/// the response.
pub struct EventStream<T>(BoxStream<'static, Result<ServerSentEvent<T>, ApiError>>);

impl<T: Send + 'static> EventStream<T> {
    /// Wraps a stream of events.
    pub fn new(events: impl Stream<Item = Result<ServerSentEvent<T>, ApiError>> + Send + 'static) -> Self {
        Self(events.boxed())
    }
}

impl<T: Send + 'static> From<Vec<ServerSentEvent<T>>> for EventStream<T> {
    fn from(events: Vec<ServerSentEvent<T>>) -> Self {
        Self::new(stream::iter(events.into_iter().map(Ok)))
    }
}

impl<T: Serialize + 'static> EventStream<T> {
    /// The events with their data as JSON texts.
    pub(crate) fn into_json(self) -> EventStream<String> {
        let json = |data: T| serde_json::to_string(&data).map_err(ApiError::internal);
        EventStream(self.0.map(move |event| event?.try_map(json)).boxed())
    }
}

impl EventStream<String> {
    /// The events as a body.
    pub(crate) fn into_body(self) -> Body {
        let events = self.0.map(|event| encode(event?)).inspect_err(|error| {
            // The head of the response is already sent.
            tracing::error!(%error, "response broken off");
        });
        let response = Sse::new(events).keep_alive(KeepAlive::default()).into_response();
        response.into_body()
    }
}

/// An event of axum's, whose methods panic on several lines in a field.
fn encode(event: ServerSentEvent<String>) -> Result<Event, ApiError> {
    let ServerSentEvent {
        event: name,
        id,
        retry,
        data,
        ..
    } = event;
    let one_line = |text: &String| !text.contains(['\r', '\n', '\0']);
    if ![&name, &id].into_iter().flatten().all(one_line) {
        return Err(ApiError::internal("the name or the id of an event is not one line"));
    }
    let mut encoded = Event::default().data(data);
    if let Some(name) = name {
        encoded = encoded.event(name);
    }
    if let Some(id) = id {
        encoded = encoded.id(id);
    }
    if let Some(retry) = retry {
        encoded = encoded.retry(retry);
    }
    Ok(encoded)
}

impl<T> Stream for EventStream<T> {
    type Item = Result<ServerSentEvent<T>, ApiError>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventStream(..)")
    }
}
