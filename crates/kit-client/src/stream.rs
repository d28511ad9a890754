//! Bodies of responses that are read in parts: bytes, and JSON values, one a line or in a sequence.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use wearlab_kit_types::LineBuffer;

use crate::Error;
use crate::failure::request_id;

/// The rest of a response, and the part that was read of it.
type Step = (Option<reqwest::Response>, Result<Option<Bytes>, reqwest::Error>);

#[cfg(not(target_family = "wasm"))]
type Reading = Pin<Box<dyn Future<Output = Step> + Send>>;
#[cfg(target_family = "wasm")]
type Reading = Pin<Box<dyn Future<Output = Step>>>;

/// The bytes of a response as they arrive. A slow reader slows the service down; nothing is buffered.
///
/// `timeout` and `deadline` of the call include the whole stream.
pub struct ByteStream {
    reading: Option<Reading>,
    headers: HeaderMap,
}

impl ByteStream {
    /// Ends the stream, a part of which exceeds a limit in bytes.
    pub(crate) fn too_large(&mut self, limit: u64) -> Error {
        self.end();
        Error::TooLarge {
            limit,
            request_id: request_id(&self.headers).map(str::to_owned),
        }
    }

    /// Decodes a JSON text of the stream.
    pub(crate) fn decode<T: DeserializeOwned>(&self, text: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(text).map_err(|error| Error::decoding(&error, text, &self.headers))
    }

    /// Ends the stream.
    pub(crate) fn end(&mut self) {
        self.reading = None;
    }

    pub(crate) fn new(response: reqwest::Response, headers: HeaderMap) -> Self {
        Self {
            reading: Some(Box::pin(read(response))),
            headers,
        }
    }

    /// The next part, or `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Error::Transport`] or [`Error::Timeout`] if the response is incomplete.
    pub async fn try_next(&mut self) -> Result<Option<Bytes>, Error> {
        next(self).await.transpose()
    }
}

/// The next item of a stream.
pub(crate) async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    std::future::poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

#[cfg(not(target_family = "wasm"))]
async fn read(mut response: reqwest::Response) -> Step {
    let part = response.chunk().await;
    (Some(response), part)
}

/// The host reads it whole.
#[cfg(target_family = "wasm")]
async fn read(response: reqwest::Response) -> Step {
    (None, response.bytes().await.map(Some))
}

impl Stream for ByteStream {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(reading) = &mut self.reading else {
            return Poll::Ready(None);
        };
        let (rest, part) = ready!(reading.as_mut().poll(context));
        self.reading = match (&part, rest) {
            (Ok(Some(_)), Some(rest)) => Some(Box::pin(read(rest))),
            _ => None,
        };
        let part = part.map_err(|error| Error::broken(error, request_id(&self.headers)));
        Poll::Ready(part.transpose())
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream").finish_non_exhaustive()
    }
}

/// Buffer that cuts the parts of a body into frames: lines, or events.
pub(crate) trait Frames: Default {
    type Frame;

    fn push(&mut self, part: &[u8]);
    /// Number of bytes without the end of their frame.
    fn pending(&self) -> usize;
    fn next_frame(&mut self) -> Option<Self::Frame>;
    /// The frame at the end of the body, which may have no end.
    fn last_frame(&mut self) -> Option<Self::Frame>;
}

impl Frames for LineBuffer {
    type Frame = Bytes;

    fn push(&mut self, part: &[u8]) {
        self.push(part);
    }

    fn pending(&self) -> usize {
        self.pending()
    }

    fn next_frame(&mut self) -> Option<Bytes> {
        self.next_line()
    }

    fn last_frame(&mut self) -> Option<Bytes> {
        self.last_line()
    }
}

/// The frames of a response as they arrive.
pub(crate) struct Framed<B> {
    pub(crate) bytes: ByteStream,
    buffer: B,
    /// Maximum length of a frame, in bytes.
    most: u64,
}

impl<B: Frames> Framed<B> {
    pub(crate) fn new(bytes: ByteStream, buffer: B, most: u64) -> Self {
        Self { bytes, buffer, most }
    }

    /// Ends the stream.
    pub(crate) fn end(&mut self) {
        self.bytes.end();
        self.buffer = B::default();
    }

    pub(crate) fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<B::Frame, Error>>> {
        loop {
            if let Some(frame) = self.buffer.next_frame() {
                return Poll::Ready(Some(Ok(frame)));
            }
            if self.buffer.pending() as u64 > self.most {
                self.buffer = B::default();
                return Poll::Ready(Some(Err(self.bytes.too_large(self.most))));
            }
            match ready!(Pin::new(&mut self.bytes).poll_next(context)) {
                Some(Ok(part)) => self.buffer.push(&part),
                Some(Err(error)) => {
                    self.buffer = B::default();
                    return Poll::Ready(Some(Err(error)));
                }
                None => return Poll::Ready(self.buffer.last_frame().map(Ok)),
            }
        }
    }
}

/// The values of a response with a JSON value on each line, or a sequence of them (`application/json-seq`), as they arrive.
///
/// `timeout` and `deadline` of the call include the whole stream.
pub struct Lines<T> {
    frames: Framed<LineBuffer>,
    of: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Lines<T> {
    pub(crate) fn new(bytes: ByteStream, buffer: LineBuffer, most: u64) -> Self {
        Self {
            frames: Framed::new(bytes, buffer, most),
            of: PhantomData,
        }
    }

    /// The next value, or `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Error::Decoding`] for a line that is not a `T`, [`Error::TooLarge`] for one that is longer than
    /// [`max_response_bytes`](crate::Builder::max_response_bytes), and those of [`ByteStream::try_next`].
    pub async fn try_next(&mut self) -> Result<Option<T>, Error> {
        next(self).await.transpose()
    }
}

impl<T: DeserializeOwned> Stream for Lines<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let line = ready!(self.frames.poll_frame(context));
        Poll::Ready(line.map(|line| self.frames.bytes.decode(&line?)))
    }
}

impl<T> fmt::Debug for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}
