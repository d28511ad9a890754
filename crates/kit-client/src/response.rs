//! Successful responses.

use std::fmt;
use std::ops::Deref;

use reqwest::StatusCode;
use reqwest::header::{ETAG, HeaderMap};
use serde::de::DeserializeOwned;
use wearlab_kit_types::{Headers, form};

use crate::Error;
use crate::body::{self, Body, Unread};
use crate::failure::request_id;
use crate::stream::ByteStream;

/// A successful response: value, status and headers.
#[derive(Clone)]
pub struct Response<T> {
    value: T,
    status: StatusCode,
    headers: HeaderMap,
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

    /// The headers that the document declares, such as `Location`, as the type that the call's `send` names.
    ///
    /// # Errors
    ///
    /// [`Error::Header`] if one is missing that is required, or has another form.
    pub fn typed_headers<H: Headers>(&self) -> Result<H, Error> {
        let texts = H::NAMES.iter().filter_map(|name| {
            let text = std::str::from_utf8(self.headers.get(*name)?.as_bytes()).ok()?;
            Some((*name, text))
        });
        let read = form::texts(texts, |texts| serde_path_to_error::deserialize(texts));
        read.map_err(|error: serde_path_to_error::Error<_>| {
            let (path, why) = (error.path().to_string(), error.inner().to_string());
            let missing = why
                .strip_prefix("missing field `")
                .and_then(|rest| rest.strip_suffix('`'));
            let name = H::NAMES.iter().find(|name| **name == path || missing == Some(**name));
            Error::Header {
                name: name.copied().unwrap_or_default().to_owned(),
                request_id: self.request_id().map(str::to_owned),
            }
        })
    }

    /// The entity tag of the content, for `send_if_none_match` of a later call.
    pub fn etag(&self) -> Option<&str> {
        self.headers.get(ETAG)?.to_str().ok()
    }

    /// The request's id, for questions to the operator of the service.
    pub fn request_id(&self) -> Option<&str> {
        request_id(&self.headers)
    }

    /// A response without a request.
    #[cfg(test)]
    pub(crate) fn of(value: T) -> Self {
        Self {
            value,
            status: StatusCode::OK,
            headers: HeaderMap::new(),
        }
    }

    /// Converts the value of a response.
    pub(crate) fn map<U>(self, with: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            value: with(self.value),
            status: self.status,
            headers: self.headers,
        }
    }

    /// The same response with another value.
    #[doc(hidden)]
    pub fn replace<U>(self, value: U) -> Response<U> {
        Response {
            value,
            status: self.status,
            headers: self.headers,
        }
    }
}

impl Response<ByteStream> {
    /// Reads the head of a response, and leaves its body to the caller.
    pub(crate) fn begin(mut response: reqwest::Response) -> Self {
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        Self {
            value: ByteStream::new(response, headers.clone()),
            status,
            headers,
        }
    }
}

impl Response<Body> {
    /// Reads the whole response, up to a limit in bytes.
    pub(crate) async fn read(mut response: reqwest::Response, most: u64) -> Result<Self, Error> {
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        let body = body::read(response, most).await.map_err(|unread| match unread {
            Unread::Broken(error) => Error::broken(error, request_id(&headers)),
            Unread::TooLong => Error::TooLarge {
                limit: most,
                request_id: request_id(&headers).map(str::to_owned),
            },
        })?;
        Ok(Self {
            value: Body::from(body),
            status,
            headers,
        })
    }

    /// The error of a success whose status the document does not list.
    #[doc(hidden)]
    pub fn unexpected(&self) -> Error {
        Error::of(self.status, &self.headers, &self.value)
    }

    /// Reads the body as a value of the models, or of a type of your own.
    ///
    /// # Errors
    ///
    /// [`Error::Decoding`] with the place at which it is not a `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.value).map_err(|error| Error::decoding(&error, &self.value, &self.headers))
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
