//! Bodies that are read or written in parts: bytes, and JSON values, one a line or in a sequence.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wearlab_kit_types::{LineBuffer, RECORD_SEPARATOR};

use crate::ApiError;
use crate::decode::{Broken, decode};
use crate::field::At;
use crate::schema_rules::{Rule, Violated};

/// Maximum length of a line of a request, in bytes.
const LINE_BYTES: usize = 1024 * 1024;

/// Bytes in parts: the body of a request as it arrives, or of a response as it is produced. Neither is buffered: a slow
/// reader slows the writer down.
///
/// An error in a response is logged and aborts it.
pub struct ByteStream(BoxStream<'static, Result<Bytes, ApiError>>);

impl ByteStream {
    /// Wraps a stream of parts.
    pub fn new(parts: impl Stream<Item = Result<Bytes, ApiError>> + Send + 'static) -> Self {
        Self(parts.boxed())
    }

    pub(crate) fn of_request(body: Body) -> Self {
        Self::new(body.into_data_stream().map(|part| part.map_err(unreadable)))
    }
}

/// Error of an incomplete body, or of one that middleware cannot decode.
fn unreadable(error: axum::Error) -> ApiError {
    let mut cause = error.into_inner();
    loop {
        cause = match cause.downcast::<axum::Error>() {
            // Each layer of bodies is one of errors.
            Ok(outer) => outer.into_inner(),
            Err(other) => {
                break match other.downcast::<ApiError>() {
                    Ok(error) => *error,
                    Err(_) => ApiError::bad_request("The body is incomplete, or its chunks are invalid."),
                };
            }
        };
    }
}

impl<T: Into<Bytes>> From<T> for ByteStream {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self::new(stream::once(async { Ok(bytes) }))
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, ApiError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteStream(..)")
    }
}

/// JSON values, one a line or in a sequence (`application/json-seq`): the body of a request as it arrives, or of a response as it is produced.
///
/// A line of a request that is not a `T` is an error with its location, and the last item.
pub struct Lines<T>(BoxStream<'static, Result<T, ApiError>>);

impl<T: Send + 'static> Lines<T> {
    /// Wraps a stream of values.
    pub fn new(values: impl Stream<Item = Result<T, ApiError>> + Send + 'static) -> Self {
        Self(values.boxed())
    }
}

impl<T: DeserializeOwned + Send + 'static> Lines<T> {
    pub(crate) fn of_request(bytes: ByteStream, buffer: LineBuffer, rule: &'static Rule) -> Self {
        Self::new(Received {
            rule,
            bytes: Some(bytes),
            buffer,
            count: 0,
            of: std::marker::PhantomData,
        })
    }
}

impl<T: Send + 'static> From<Vec<T>> for Lines<T> {
    fn from(values: Vec<T>) -> Self {
        Self::new(stream::iter(values.into_iter().map(Ok)))
    }
}

impl<T: Serialize + 'static> Lines<T> {
    /// The values, one a line.
    pub(crate) fn encode(self) -> ByteStream {
        self.encode_after(&[])
    }

    /// The values as a sequence.
    pub(crate) fn encode_sequence(self) -> ByteStream {
        self.encode_after(&[RECORD_SEPARATOR])
    }

    fn encode_after(self, start: &'static [u8]) -> ByteStream {
        ByteStream::new(self.0.map(|value| {
            let mut line = start.to_vec();
            serde_json::to_writer(&mut line, &value?).map_err(ApiError::internal)?;
            line.push(b'\n');
            Ok(line.into())
        }))
    }
}

impl<T> Stream for Lines<T> {
    type Item = Result<T, ApiError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines(..)")
    }
}

/// The lines of a request.
struct Received<T> {
    rule: &'static Rule,
    /// Rest of the body. None after an error.
    bytes: Option<ByteStream>,
    buffer: LineBuffer,
    count: usize,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Received<T> {
    fn decode(&mut self, line: &[u8]) -> Result<T, ApiError> {
        let index = self.count;
        self.count += 1;
        decode_line(line, index, self.rule)
    }
}

impl<T: DeserializeOwned> Stream for Received<T> {
    type Item = Result<T, ApiError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let outcome = loop {
            let Some(bytes) = &mut this.bytes else {
                return Poll::Ready(None);
            };
            if let Some(line) = this.buffer.next_line() {
                break this.decode(&line);
            }
            if this.buffer.pending() > LINE_BYTES {
                break Err(ApiError::content_too_large(LINE_BYTES as u64));
            }
            match ready!(Pin::new(bytes).poll_next(context)) {
                Some(Ok(part)) => this.buffer.push(&part),
                Some(Err(error)) => break Err(error),
                None => {
                    this.bytes = None;
                    match this.buffer.last_line() {
                        Some(line) => break this.decode(&line),
                        None => return Poll::Ready(None),
                    }
                }
            }
        };
        if outcome.is_err() {
            this.bytes = None;
        }
        Poll::Ready(Some(outcome))
    }
}

/// Decodes a line of a body.
fn decode_line<T: DeserializeOwned>(line: &[u8], index: usize, rule: &Rule) -> Result<T, ApiError> {
    decode(line, rule).map_err(|broken| match broken {
        Broken::Syntax(_) => ApiError::bad_request(format!("Line {} of the body is not valid JSON.", index + 1)),
        Broken::Values(all) => {
            let mut violations = Vec::new();
            let of_line = |violated: Violated| Violated {
                pointer: format!("/{index}{}", violated.pointer),
                ..violated
            };
            At::body(&mut violations).note_parts(all.into_iter().map(of_line).collect());
            ApiError::invalid(violations)
        }
    })
}
