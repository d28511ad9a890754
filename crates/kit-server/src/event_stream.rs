//! Responses of `text/event-stream`.
//!
//! The writer of axum drops an event whose data are empty.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use serde::Serialize;
use wearlab_kit_types::ServerSentEvent;

use crate::ApiError;
use crate::stream::ByteStream;

/// The longest time without an event before a comment is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const COMMENT: &[u8] = b":\n\n";

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
    /// The events as text.
    pub(crate) fn encode(self) -> ByteStream {
        self.encode_within(KEEP_ALIVE)
    }

    /// The events as text, with a comment after a time without one.
    fn encode_within(self, keep_alive: Duration) -> ByteStream {
        ByteStream::new(stream::unfold(self.0, move |mut events| async move {
            let text = match tokio::time::timeout(keep_alive, events.next()).await {
                Ok(event) => event?.and_then(|event| text(&event)),
                Err(_) => Ok(Bytes::from_static(COMMENT)),
            };
            Some((text, events))
        }))
    }
}

fn text(event: &ServerSentEvent<String>) -> Result<Bytes, ApiError> {
    let text = event.to_text().map(Bytes::from);
    text.ok_or_else(|| ApiError::internal("the name or the id of an event is not one line"))
}

impl<T> Stream for EventStream<T> {
    type Item = Result<ServerSentEvent<T>, ApiError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventStream(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::{StreamExt, stream};
    use wearlab_kit_types::ServerSentEvent;

    use super::{COMMENT, EventStream};
    use crate::ApiError;

    #[tokio::test]
    async fn a_comment_is_sent_while_there_is_no_event() {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let late = stream::once(async { Ok(ServerSentEvent::new(receiver.await.expect("a number"))) });
        let texts = EventStream::new(late)
            .into_json()
            .encode_within(Duration::from_millis(1));
        let mut texts = texts.map(|text| text.expect("a text"));
        assert_eq!(texts.next().await.as_deref(), Some(COMMENT));
        sender.send(1).expect("somebody waits");
        let rest: Vec<_> = texts.filter(|text| std::future::ready(text != COMMENT)).collect().await;
        assert_eq!(rest, ["data: 1\n\n"]);
    }

    #[tokio::test]
    async fn an_error_ends_the_events() {
        let events = [Ok(ServerSentEvent::new("a".to_owned())), Err(ApiError::internal("-"))];
        let mut texts = EventStream::new(stream::iter(events)).encode();
        assert!(texts.next().await.is_some_and(|text| text.is_ok()));
        assert!(texts.next().await.is_some_and(|text| text.is_err()));
        let event = ServerSentEvent::new(String::new()).with_event("two\nlines");
        let mut texts = EventStream::from(vec![event]).encode();
        assert!(texts.next().await.is_some_and(|text| text.is_err()));
    }
}
