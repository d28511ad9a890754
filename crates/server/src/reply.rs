//! The response of an operation: a value, or bytes that already encode one.

use axum::response::{IntoResponse, Response};
use serde::Serialize;
use wearlab_models::Encoded;

use crate::{ApiError, content};

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

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        let encoded = match self {
            Self::Encoded(encoded) => Ok(encoded),
            Self::Value(value) => Encoded::encode(&value),
        };
        match encoded {
            Ok(encoded) => content("application/json", encoded.into_bytes()),
            Err(error) => ApiError::internal(error).into_response(),
        }
    }
}
