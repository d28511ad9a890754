//! Streams: operations whose body is read while the response is sent. They have no limits of size and time, and accept
//! content codings.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use axum::BoxError;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, TryStreamExt};
use tokio::io::AsyncRead;
use tokio_util::io::{ReaderStream, StreamReader};
use wearlab_server::operations::{IMPORT_RECORDS, INGEST_ARRIVALS};
use wearlab_server::{ApiError, Operation};

use super::load;
use super::timeouts::BodyPending;

/// Operations whose bodies are streams.
const STREAMS: [&str; 2] = [INGEST_ARRIVALS.id, IMPORT_RECORDS.id];

/// Supported content codings.
const CODINGS: &str = "gzip, zstd";

/// Logarithm of the largest window of zstd that is decoded, 8 MiB (RFC 9659): it is memory that a sender chooses.
const WINDOW_LOG: u32 = 23;

/// Bytes that are decoded in one step.
const DECODE_CHUNK: usize = 64 * 1024;

/// Decoded bytes that are allowed beyond the ratio: a short body costs little, and repeats itself more.
const UNCHECKED_BYTES: u64 = 8 * 1024 * 1024;

/// Maximum bytes that are read of a refused body before the connection is closed: a sender that still writes may lose
/// the response otherwise.
const REFUSED_BYTES: usize = 1024 * 1024;

/// Maximum pause of a sender whose body was refused.
const REFUSED_PAUSE: Duration = Duration::from_secs(1);

/// Returns whether the body of a request is a stream, which its operation reads.
pub(super) fn is_stream(operation: Option<&Operation>) -> bool {
    operation.is_some_and(|operation| STREAMS.contains(&operation.id))
}

/// Stream state of a request.
pub(super) struct Stream {
    is_stream: bool,
    pending: Option<BodyPending>,
    ratio: u32,
    refused_timeout: Duration,
}

impl Stream {
    /// Prepares a request. `ratio` limits a decoded body's length by its encoded length; `refused_timeout` limits the
    /// time to read a refused body.
    pub(super) fn of(request: &Request, operation: Option<&Operation>, ratio: u32, refused_timeout: Duration) -> Self {
        Self {
            is_stream: is_stream(operation),
            pending: request.extensions().get::<BodyPending>().cloned(),
            ratio,
            refused_timeout,
        }
    }

    /// Runs the operation. A stream keeps its connection open until its response is complete.
    pub(super) async fn run<F: Future<Output = Response>>(
        self,
        mut request: Request,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let Some(pending) = self.pending.filter(|_| self.is_stream) else {
            return handle(request).await;
        };
        let shared = Shared::take(request.body_mut());
        let response = match decoded(&mut request, shared.clone(), self.ratio) {
            Ok(()) => handle(request).await,
            Err(refused) => *refused,
        };
        if response.status().is_success() {
            let open = pending.open();
            return response.map(|body| {
                // The guard keeps the connection open until the body is dropped, sent or not.
                let parts = body.into_data_stream().inspect(move |_| _ = &open);
                Body::from_stream(parts)
            });
        }
        // Anyone can have a stream refused and leave its body open, so that this wait takes no permit.
        let skipped = tokio::time::timeout(self.refused_timeout, shared.skip(REFUSED_BYTES));
        let _ = load::without_permit(skipped, async |skipped| skipped).await;
        pending.read();
        closing(response)
    }
}

/// Marks a response as the last of its connection, whose request may not be read to its end.
fn closing(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// Decodes the body of a request, or refuses its content coding.
fn decoded(request: &mut Request, body: Shared, ratio: u32) -> Result<(), Box<Response>> {
    let coding = coding(request.headers());
    let received = Arc::new(AtomicU64::new(0));
    let counted = received.clone();
    let reader = StreamReader::new(body.clone().inspect_ok(move |part| {
        counted.fetch_add(part.len() as u64, Ordering::Relaxed);
    }));
    *request.body_mut() = match coding.as_deref() {
        Some("") => Body::from_stream(body),
        Some("gzip" | "x-gzip") => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            bounded(decoder, received, ratio)
        }
        Some("zstd") => {
            let mut decoder = ZstdDecoder::with_params(reader, &[DParameter::window_log_max(WINDOW_LOG)]);
            decoder.multiple_members(true);
            bounded(decoder, received, ratio)
        }
        _ => {
            let mut refused = ApiError::unsupported_coding(CODINGS).into_response();
            let accepted = HeaderValue::from_static(CODINGS);
            refused.headers_mut().insert(ACCEPT_ENCODING, accepted);
            return Err(Box::new(refused));
        }
    };
    if coding.is_some_and(|coding| !coding.is_empty()) {
        request.headers_mut().remove(CONTENT_LENGTH);
    }
    request.headers_mut().remove(CONTENT_ENCODING);
    Ok(())
}

/// Returns a decoded body that fails once it exceeds `ratio` times the bytes received.
fn bounded(decoder: impl AsyncRead + Send + 'static, received: Arc<AtomicU64>, ratio: u32) -> Body {
    let mut decoded = 0_u64;
    let parts = ReaderStream::with_capacity(decoder, DECODE_CHUNK).map(move |part| {
        let part = part?;
        decoded += part.len() as u64;
        let most = received.load(Ordering::Relaxed).saturating_mul(ratio.into());
        match decoded > most.saturating_add(UNCHECKED_BYTES) {
            true => Err(ApiError::decoded_too_large(ratio).into()),
            false => Ok::<_, BoxError>(part),
        }
    });
    Body::from_stream(parts)
}

/// Returns the only content coding of a request, in lower case; empty without one, and none if there are several.
fn coding(headers: &HeaderMap) -> Option<String> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    let coding = codings.next().map_or(Ok(""), HeaderValue::to_str).ok()?;
    let coding = coding.trim().to_ascii_lowercase();
    let coding = if coding == "identity" { String::new() } else { coding };
    codings.next().is_none().then_some(coding)
}

/// A body that can still be read after the handler dropped it.
#[derive(Clone)]
struct Shared(Arc<Mutex<BodyDataStream>>);

impl Shared {
    fn take(body: &mut Body) -> Self {
        let body = std::mem::take(body).into_data_stream();
        Self(Arc::new(Mutex::new(body)))
    }

    /// Reads and discards up to so many bytes, or until the sender pauses.
    async fn skip(mut self, most: usize) {
        let mut seen = 0;
        while let Ok(Some(Ok(part))) = tokio::time::timeout(REFUSED_PAUSE, self.next()).await {
            seen += part.len();
            if seen > most {
                return;
            }
        }
    }
}

impl futures_util::Stream for Shared {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let part = Pin::new(&mut *body).poll_next(context);
        part.map_err(io::Error::other)
    }
}
