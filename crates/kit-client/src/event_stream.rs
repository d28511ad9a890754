//! Responses of `text/event-stream`, whose events are read as they arrive.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde::de::DeserializeOwned;
use wearlab_kit_types::{EventBuffer, ServerSentEvent};

use crate::Error;
use crate::stream::{ByteStream, Framed, Frames, next};

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
    events: Framed<EventBuffer>,
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
        Self::new(bytes, most, text)
    }
}

fn text(_: &ByteStream, data: &str) -> Result<Option<String>, Error> {
    Ok(Some(data.to_owned()))
}

impl Frames for EventBuffer {
    type Frame = ServerSentEvent<String>;

    fn push(&mut self, part: &[u8]) {
        self.push(part);
    }

    fn pending(&self) -> usize {
        self.pending()
    }

    fn next_frame(&mut self) -> Option<ServerSentEvent<String>> {
        self.next_event()
    }

    fn last_frame(&mut self) -> Option<ServerSentEvent<String>> {
        self.last_event()
    }
}

impl<T> EventStream<T> {
    fn new(bytes: ByteStream, most: u64, decode: Decode<T>) -> Self {
        Self {
            events: Framed::new(bytes, EventBuffer::default(), most),
            decode,
        }
    }

    /// The rest of the events with their data as text, for those that are decoded by their name.
    pub fn into_text(self) -> EventStream<String> {
        EventStream {
            events: self.events,
            decode: text,
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
        let read = event.try_map(|data| match (self.decode)(&self.events.bytes, &data) {
            Ok(Some(data)) => Ok(data),
            Ok(None) => Err(None),
            Err(error) => Err(Some(error)),
        });
        match read {
            Ok(event) => Some(Ok(event)),
            Err(Some(error)) => Some(Err(error)),
            Err(None) => {
                self.events.end();
                None
            }
        }
    }
}

impl<T> Stream for EventStream<T> {
    type Item = Result<ServerSentEvent<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = ready!(self.events.poll_frame(context));
        Poll::Ready(event.and_then(|event| match event {
            Ok(event) => self.read(event),
            Err(error) => Some(Err(error)),
        }))
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}
