//! Sends what generated builders put together, and reads the answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use serde::de::DeserializeOwned;

use crate::addresses::Addresses;
use crate::credentials::Credentials;
use crate::operations::{Credential, Server};
use crate::response::Response;
use crate::{ClientBuilder, Error, path};

/// A client of the service. It is cheap to clone, and clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) http: reqwest::Client,
    pub(crate) timeout: Option<Duration>,
    pub(crate) addresses: Addresses,
    pub(crate) credentials: Credentials,
}

/// What is known of an operation before it is called.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operation {
    /// Its `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// The address it is answered at.
    pub server: Server,
    /// The credentials it takes.
    pub credentials: &'static [Credential],
}

impl Client {
    /// Begins a client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.inner.http
    }

    /// The address of a call.
    pub(crate) fn url(&self, operation: &Operation, values: &[&dyn fmt::Display]) -> Result<Url, Error> {
        let server = self.inner.addresses.of(operation.server);
        let url = format!("{server}{}", path::fill(operation.path, values)?);
        Url::parse(&url).map_err(|error| Error::invalid_request(error.to_string()))
    }

    /// Sends a request with the operation's credentials.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        operation: &Operation,
        mut request: reqwest::Request,
    ) -> Result<Response<T>, Error> {
        self.inner.credentials.apply(operation, request.headers_mut())?;
        if self.inner.timeout.is_some() {
            *request.timeout_mut() = self.inner.timeout;
        }
        let response = self.inner.http.execute(request).await?;
        if response.status().is_success() {
            Response::read(response).await
        } else {
            Err(Error::from_response(response).await)
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("addresses", &self.inner.addresses)
            .field("credentials", &self.inner.credentials)
            .finish_non_exhaustive()
    }
}
