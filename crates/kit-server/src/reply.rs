//! The response of an operation: a value, bytes that already encode one, or parts of them.

use std::fmt;
use std::marker::PhantomData;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, TryStreamExt, stream};
use serde::Serialize;
use serde_json::Value;
use wearlab_kit_types::Encoded;

use crate::event_stream::EventStream;
use crate::stream::{ByteStream, Lines};
use crate::{ApiError, http};

/// The media type of a sequence of JSON texts (RFC 7464).
const SEQUENCE: &str = "application/json-seq";

/// The media type of events.
const EVENTS: &str = "text/event-stream";

/// Body that the method of an operation returns.
pub type ApiResult<T> = Result<Reply<T>, ApiError>;

/// A successful response.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reply<T> {
    /// A value, which the router encodes.
    Value(T),
    /// A value that is encoded already, which the router passes through.
    Encoded(Encoded<T>),
    /// A value with a version of hidden content, such as a keyed hash of a secret: the entity tag changes with
    /// it.
    Versioned(T, [u8; 16]),
    /// A value whose JSON text is sent part by part, for one that is too long to be in memory.
    Parts(Parts<T>),
}

/// The JSON text of a `T`, in parts that are made while they are sent.
///
/// The response has no entity tag, since that is a hash of all of it. An error is logged and aborts it.
pub struct Parts<T> {
    parts: ByteStream,
    of: PhantomData<fn() -> T>,
}

impl<T> Parts<T> {
    /// The parts of a JSON text. The caller vouches that they are one of a `T`.
    pub fn new(parts: impl Stream<Item = Result<Bytes, ApiError>> + Send + 'static) -> Self {
        Self {
            parts: ByteStream::new(parts),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Parts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parts(..)")
    }
}

impl<T> From<T> for Reply<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> Reply<T> {
    /// A response with a value and a version of hidden content.
    pub fn versioned(value: T, version: [u8; 16]) -> Self {
        Self::Versioned(value, version)
    }

    /// A response that is encoded already.
    pub fn encoded(value: Encoded<T>) -> Self {
        Self::Encoded(value)
    }
}

/// A success of an operation other than a plain read.
pub type Sent = Response;

/// A success without a body.
pub fn empty(status: u16) -> Result<Sent, ApiError> {
    let mut response = ().into_response();
    *response.status_mut() = number(status)?;
    Ok(response)
}

/// A success of HEAD. `Content-Length` is that of the operation, if it sends one: the router would send 0.
pub fn head(status: u16) -> Result<Sent, ApiError> {
    let mut response = Response::new(ByteStream::new(stream::empty()).into_stream_body());
    *response.status_mut() = number(status)?;
    Ok(response)
}

/// A success with a body that is not JSON.
pub fn content(status: u16, media_type: &'static str, body: impl Content) -> Result<Sent, ApiError> {
    let mut response = Response::new(body.into_body(media_type));
    *response.status_mut() = number(status)?;
    let kind = HeaderValue::from_static(media_type);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    if media_type == EVENTS {
        // Caches would hold events back.
        let none = HeaderValue::from_static("no-cache");
        response.headers_mut().insert(CACHE_CONTROL, none);
    }
    Ok(response)
}

/// A success with events whose data are text.
pub fn text_events(status: u16, media_type: &'static str, events: EventStream<String>) -> Result<Sent, ApiError> {
    content(status, media_type, TextEvents(events))
}

/// A response with its declared headers, which are the fields of a type of the models. One that is absent is not sent.
pub fn with_headers(mut response: Sent, headers: &impl Serialize) -> Result<Sent, ApiError> {
    let headers = serde_json::to_value(headers).map_err(ApiError::internal)?;
    for (name, value) in headers.as_object().into_iter().flatten() {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let name = HeaderName::try_from(name).map_err(ApiError::internal)?;
        let value = HeaderValue::try_from(text).map_err(ApiError::internal)?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

/// A body that is not one JSON value.
pub trait Content {
    fn into_body(self, media_type: &str) -> Body;
}

impl Content for String {
    fn into_body(self, _: &str) -> Body {
        self.into()
    }
}

impl Content for ByteStream {
    fn into_body(self, _: &str) -> Body {
        self.into_stream_body()
    }
}

impl ByteStream {
    fn into_stream_body(self) -> Body {
        Body::from_stream(self.inspect_err(|error| {
            // The head of the response is already sent.
            tracing::error!(%error, "response broken off");
        }))
    }
}

impl<T: Serialize + 'static> Content for Lines<T> {
    fn into_body(self, media_type: &str) -> Body {
        let texts = match media_type {
            SEQUENCE => self.encode_sequence(),
            _ => self.encode(),
        };
        texts.into_stream_body()
    }
}

impl<T: Serialize + 'static> Content for EventStream<T> {
    fn into_body(self, _: &str) -> Body {
        self.into_json().encode().into_stream_body()
    }
}

/// Events whose data are text.
struct TextEvents(EventStream<String>);

impl Content for TextEvents {
    fn into_body(self, _: &str) -> Body {
        self.0.encode().into_stream_body()
    }
}

fn number(status: u16) -> Result<StatusCode, ApiError> {
    StatusCode::from_u16(status).map_err(ApiError::internal)
}

impl<T: Serialize> Reply<T> {
    /// A success with this status. It has no entity tag: its content may differ from that of a read.
    pub fn with_status(self, status: u16, media_type: &'static str) -> Result<Sent, ApiError> {
        let mut response = match self.encode().map_err(ApiError::internal)? {
            Text::Whole(bytes) => bytes.into_response(),
            Text::Parts(parts) => Response::new(parts.into_stream_body()),
        };
        *response.status_mut() = number(status)?;
        let kind = HeaderValue::from_static(media_type);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        Ok(response)
    }

    /// A read whose content is of a media type of its own, with its entity tag.
    pub fn with_media_type(self, media_type: &'static str) -> Result<Sent, ApiError> {
        self.read(media_type).map_err(ApiError::internal)
    }

    /// A read, with its entity tag if it is not sent in parts.
    fn read(self, media_type: &'static str) -> Result<Response, serde_json::Error> {
        if let Self::Versioned(value, version) = &self {
            let bytes = Encoded::encode(value)?.into_bytes();
            return Ok(http::versioned(media_type, bytes, version));
        }
        Ok(match self.encode()? {
            Text::Whole(bytes) => http::content(media_type, bytes),
            Text::Parts(parts) => {
                let mut response = Response::new(parts.into_stream_body());
                let kind = HeaderValue::from_static(media_type);
                response.headers_mut().insert(CONTENT_TYPE, kind);
                response
            }
        })
    }

    fn encode(self) -> Result<Text, serde_json::Error> {
        match self {
            Self::Encoded(encoded) => Ok(Text::Whole(encoded.into_bytes())),
            Self::Value(value) | Self::Versioned(value, _) => Ok(Text::Whole(Encoded::encode(&value)?.into_bytes())),
            Self::Parts(parts) => Ok(Text::Parts(parts.parts)),
        }
    }
}

/// JSON text.
enum Text {
    Whole(Bytes),
    Parts(ByteStream),
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        let response = self.read("application/json");
        response.unwrap_or_else(|error| ApiError::internal(error).into_response())
    }
}
