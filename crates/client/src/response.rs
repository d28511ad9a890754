//! Successful answers.

use std::fmt;
use std::ops::Deref;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::error::request_id;

/// A successful answer: its value, and what came with it.
#[derive(Clone)]
pub struct Response<T> {
    value: T,
    status: StatusCode,
    headers: HeaderMap,
}

impl<T: DeserializeOwned> Response<T> {
    pub(crate) async fn read(response: reqwest::Response) -> Result<Self, Error> {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await?;
        let value = serde_json::from_slice(&body).map_err(|_| Error::decoding::<T>(&body, &headers))?;
        Ok(Self { value, status, headers })
    }
}

impl<T> Response<T> {
    /// The value alone.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The request's id, for questions to the operator of the service.
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.headers)
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("value", &self.value)
            .finish_non_exhaustive()
    }
}
