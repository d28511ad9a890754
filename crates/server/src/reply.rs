//! The response of an operation: a value, or bytes that already encode one.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use serde::Serialize;
use serde_json::Value;
use wearlab_models::Encoded;

use crate::stream::{ByteStream, Lines};
use crate::{ApiError, http};

/// What a method of [`Api`](crate::Api) returns.
pub type ApiResult<T> = Result<Reply<T>, ApiError>;

/// A successful response.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply<T> {
    /// A value, which the router encodes.
    Value(T),
    /// A value that is encoded already, which the router passes through.
    Encoded(Encoded<T>),
}

impl<T> From<T> for Reply<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> Reply<T> {
    /// A response that is encoded already.
    pub fn encoded(value: Encoded<T>) -> Self {
        Self::Encoded(value)
    }
}

/// A success of an operation that is no plain read.
pub(crate) type Sent = Response;

/// A success without a body.
#[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
pub(crate) fn empty(status: u16) -> Result<Sent, ApiError> {
    let mut response = ().into_response();
    *response.status_mut() = number(status)?;
    Ok(response)
}

/// A success with a body that is no JSON value.
#[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
pub(crate) fn content(status: u16, media_type: &'static str, body: impl Content) -> Result<Sent, ApiError> {
    let mut response = Response::new(body.into_body());
    *response.status_mut() = number(status)?;
    let kind = HeaderValue::from_static(media_type);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// A response with its declared headers, which are the fields of a type of the models. One that is absent is not sent.
#[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
pub(crate) fn with_headers(mut response: Sent, headers: &impl Serialize) -> Result<Sent, ApiError> {
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

/// A body that is no JSON value.
pub(crate) trait Content {
    fn into_body(self) -> Body;
}

impl Content for String {
    fn into_body(self) -> Body {
        self.into()
    }
}

impl Content for ByteStream {
    fn into_body(self) -> Body {
        Body::from_stream(self.inspect_err(|error| {
            // The head of the response was sent already.
            tracing::error!(%error, "response broken off");
        }))
    }
}

impl<T: Serialize + 'static> Content for Lines<T> {
    fn into_body(self) -> Body {
        self.encode().into_body()
    }
}

fn number(status: u16) -> Result<StatusCode, ApiError> {
    StatusCode::from_u16(status).map_err(ApiError::internal)
}

impl<T: Serialize> Reply<T> {
    /// A success with this status. Its content has no entity tag: it may be another one than that of a read.
    #[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
    pub(crate) fn with_status(self, status: u16, media_type: &'static str) -> Result<Sent, ApiError> {
        let encoded = self.encode().map_err(ApiError::internal)?;
        let mut response = encoded.into_bytes().into_response();
        *response.status_mut() = number(status)?;
        let kind = HeaderValue::from_static(media_type);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        Ok(response)
    }

    /// A read whose content is of a media type of its own, with its entity tag.
    #[allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]
    pub(crate) fn with_media_type(self, media_type: &'static str) -> Result<Sent, ApiError> {
        let encoded = self.encode().map_err(ApiError::internal)?;
        Ok(http::content(media_type, encoded.into_bytes()))
    }

    fn encode(self) -> Result<Encoded<T>, serde_json::Error> {
        match self {
            Self::Encoded(encoded) => Ok(encoded),
            Self::Value(value) => Encoded::encode(&value),
        }
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        match self.encode() {
            Ok(encoded) => http::content("application/json", encoded.into_bytes()),
            Err(error) => ApiError::internal(error).into_response(),
        }
    }
}
