//! Responses of `text/event-stream`, whose events are read as they arrive.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde::de::DeserializeOwned;
use wearlab_kit_types::{EventBuffer, ServerSentEvent};

use crate::Error;
use crate::stream::{ByteStream, next};

/// The data after which services of JSON events send no more. It is not JSON.
const DONE: &str = "[DONE]";

/// Reads the data of an event; `None` if it ends the stream.
type Decode<T> = fn(&ByteStream, &str) -> Result<Option<T>, Error>;

/// The events of a response (`text/event-stream`) as they arrive. The data of an event are a JSON value, or a text, as the
/// document has it. Where they are JSON, `[DONE]` ends the stream.
///
/// `timeout` and `deadline` of the call include the whole stream: set longer ones than the defaults for a stream that goes
/// on. It does not connect again by itself: send the id of the last event in the header `Last-Event-ID` of another call.
pub struct EventStream<T> {
    bytes: ByteStream,
    buffer: EventBuffer,
    /// Maximum length of an event, in bytes.
    most: u64,
    decode: Decode<T>,
}

impl<T: DeserializeOwned> EventStream<T> {
    /// Events whose data are JSON.
    pub(crate) fn json(bytes: ByteStream, most: u64) -> Self {
        Self::new(bytes, most, |bytes, data| match data.trim() {
            DONE => Ok(None),
            _ => bytes.decode(data.as_bytes()).map(Some),
        })
    }
}

impl EventStream<String> {
    /// Events whose data are text.
    pub(crate) fn text(bytes: ByteStream, most: u64) -> Self {
        Self::new(bytes, most, |_, data| Ok(Some(data.to_owned())))
    }
}

impl<T> EventStream<T> {
    fn new(bytes: ByteStream, most: u64, decode: Decode<T>) -> Self {
        Self {
            bytes,
            buffer: EventBuffer::default(),
            most,
            decode,
        }
    }

    /// The rest of the events with their data as text, for those that are decoded by their name.
    pub fn into_text(self) -> EventStream<String> {
        EventStream {
            buffer: self.buffer,
            ..EventStream::text(self.bytes, self.most)
        }
    }

    /// The next event, or `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Error::Decoding`] for data that are not a `T`, after which the stream goes on; [`Error::TooLarge`] for an event
    /// that is longer than [`max_response_bytes`](crate::Builder::max_response_bytes), and those of
    /// [`ByteStream::try_next`].
    pub async fn try_next(&mut self) -> Result<Option<ServerSentEvent<T>>, Error> {
        next(self).await.transpose()
    }

    /// Decodes the data of an event. `None` ends the stream.
    fn read(&mut self, event: ServerSentEvent<String>) -> Option<Result<ServerSentEvent<T>, Error>> {
        let read = event.try_map(|data| match (self.decode)(&self.bytes, &data) {
            Ok(Some(data)) => Ok(data),
            Ok(None) => Err(None),
            Err(error) => Err(Some(error)),
        });
        match read {
            Ok(event) => Some(Ok(event)),
            Err(Some(error)) => Some(Err(error)),
            Err(None) => {
                self.bytes.end();
                drop(std::mem::take(&mut self.buffer));
                None
            }
        }
    }
}

impl<T> Stream for EventStream<T> {
    type Item = Result<ServerSentEvent<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.buffer.next_event() {
                return Poll::Ready(self.read(event));
            }
            if self.buffer.pending() as u64 > self.most {
                let most = self.most;
                let error = self.bytes.too_large(most);
                drop(std::mem::take(&mut self.buffer));
                return Poll::Ready(Some(Err(error)));
            }
            match ready!(Pin::new(&mut self.bytes).poll_next(context)) {
                Some(Ok(part)) => self.buffer.push(&part),
                Some(Err(error)) => {
                    drop(std::mem::take(&mut self.buffer));
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    let last = self.buffer.last_event();
                    return Poll::Ready(last.and_then(|event| self.read(event)));
                }
            }
        }
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}
