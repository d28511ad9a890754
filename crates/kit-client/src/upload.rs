//! Bodies of requests that are sent in parts: bytes, and JSON values, one a line.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use serde::Serialize;
use wearlab_kit_types::RECORD_SEPARATOR;

/// Bytes to send: whole, or a stream. A stream is sent once: such a call is not retried.
pub struct Upload(pub(crate) Kind);

pub(crate) enum Kind {
    Whole(Bytes),
    #[cfg(not(target_family = "wasm"))]
    Stream(reqwest::Body),
    /// A value that cannot be encoded.
    Unencodable,
}

impl<T: Into<Bytes>> From<T> for Upload {
    fn from(bytes: T) -> Self {
        Self(Kind::Whole(bytes.into()))
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Whole(bytes) => write!(f, "Upload({} bytes)", bytes.len()),
            _ => f.write_str("Upload(..)"),
        }
    }
}

/// JSON values to send, one a line or in a sequence (`application/json-seq`): a list, or a stream. A stream is sent once: such
/// a call is not retried.
pub struct LinesUpload<T> {
    lines: Encoded,
    of: PhantomData<fn(T)>,
}

/// Values as lines.
enum Encoded {
    /// Each with a line feed at its end, and none within.
    Whole(Vec<u8>),
    #[cfg(not(target_family = "wasm"))]
    Stream(stream::EncodedLines),
    Unencodable,
}

impl<T: Serialize> From<Vec<T>> for LinesUpload<T> {
    fn from(values: Vec<T>) -> Self {
        let mut lines = Vec::new();
        let encoded = values.iter().try_for_each(|value| line(value, &mut lines));
        Self {
            lines: match encoded {
                Ok(()) => Encoded::Whole(lines),
                Err(_) => Encoded::Unencodable,
            },
            of: PhantomData,
        }
    }
}

fn line<T: Serialize>(value: &T, lines: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *lines, value)?;
    lines.push(b'\n');
    Ok(())
}

impl<T> From<LinesUpload<T>> for Upload {
    fn from(lines: LinesUpload<T>) -> Self {
        match lines.lines {
            Encoded::Whole(lines) => lines.into(),
            #[cfg(not(target_family = "wasm"))]
            Encoded::Stream(lines) => Self::stream(lines),
            Encoded::Unencodable => Self(Kind::Unencodable),
        }
    }
}

impl<T> LinesUpload<T> {
    /// The values as a sequence: a record separator before each.
    pub(crate) fn into_sequence(self) -> Upload {
        match self.lines {
            Encoded::Whole(lines) => sequence(&lines).into(),
            #[cfg(not(target_family = "wasm"))]
            Encoded::Stream(lines) => Upload::stream(stream::Sequence(lines)),
            Encoded::Unencodable => Upload(Kind::Unencodable),
        }
    }
}

/// Lines with a record separator before each.
fn sequence(lines: &[u8]) -> Vec<u8> {
    let lines = lines.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(|line| [&[RECORD_SEPARATOR], line].concat()).collect()
}

impl<T> fmt::Debug for LinesUpload<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lines {
            Encoded::Whole(lines) => write!(f, "LinesUpload({} bytes)", lines.len()),
            _ => f.write_str("LinesUpload(..)"),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
mod stream {
    use std::error::Error;
    use std::marker::PhantomData;
    use std::pin::Pin;
    use std::sync::Mutex;
    use std::task::{Context, Poll, ready};

    use bytes::Bytes;
    use futures_core::Stream;
    use http_body::Frame;
    use serde::Serialize;

    use super::{Kind, LinesUpload, Upload, line, sequence};

    type Cause = Box<dyn Error + Send + Sync>;

    /// Values, each a line.
    pub(super) type EncodedLines = Pin<Box<dyn Stream<Item = serde_json::Result<Bytes>> + Send>>;

    impl Upload {
        /// A stream of bytes, which is polled as fast as the service reads. An error aborts the request.
        pub fn stream<S, E>(stream: S) -> Self
        where
            S: Stream<Item = Result<Bytes, E>> + Send + 'static,
            E: Into<Cause>,
        {
            Self(Kind::Stream(reqwest::Body::wrap(Parts(Mutex::new(Box::pin(stream))))))
        }
    }

    impl<T: Serialize + 'static> LinesUpload<T> {
        /// A stream of values, which is polled as fast as the service reads.
        pub fn stream(values: impl Stream<Item = T> + Send + 'static) -> Self {
            Self {
                lines: super::Encoded::Stream(Box::pin(Encoded(Box::pin(values)))),
                of: PhantomData,
            }
        }
    }

    /// A stream as a body. A body has to be `Sync`, which a stream need not be.
    struct Parts<S>(Mutex<Pin<Box<S>>>);

    impl<S, E> http_body::Body for Parts<S>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Into<Cause>,
    {
        type Data = Bytes;
        type Error = Cause;

        fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Cause>>> {
            let stream = match self.get_mut().0.get_mut() {
                Ok(stream) => stream,
                Err(poisoned) => poisoned.into_inner(),
            };
            let part = ready!(stream.as_mut().poll_next(context));
            Poll::Ready(part.map(|part| part.map(Frame::data).map_err(Into::into)))
        }
    }

    /// Values as lines.
    struct Encoded<T>(Pin<Box<dyn Stream<Item = T> + Send>>);

    impl<T: Serialize> Stream for Encoded<T> {
        type Item = serde_json::Result<Bytes>;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            let value = ready!(self.0.as_mut().poll_next(context));
            Poll::Ready(value.map(|value| {
                let mut text = Vec::new();
                line(&value, &mut text).map(|()| text.into())
            }))
        }
    }

    /// Lines as a sequence.
    pub(super) struct Sequence(pub(super) EncodedLines);

    impl Stream for Sequence {
        type Item = serde_json::Result<Bytes>;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            let line = ready!(self.0.as_mut().poll_next(context));
            Poll::Ready(line.map(|line| line.map(|line| sequence(&line).into())))
        }
    }
}
