//! Builder of a client's transport.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use wearlab_kit_types::Secret;
use wearlab_kit_types::carrier::HasCarrier;

use crate::addresses::Addresses;
use crate::credentials::{Credentials, Token};
use crate::transport::{Inner, Times};
use crate::{Document, Error, RetryPolicy, Transport};

#[cfg(not(target_family = "wasm"))]
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
const DEADLINE: Duration = Duration::from_secs(60);
const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;
/// True if the client does TLS by itself.
const TLS: bool = cfg!(any(feature = "rustls", feature = "native-tls", target_family = "wasm"));

/// Certificates that are trusted besides those of the system.
#[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
type Roots = Vec<reqwest::Certificate>;
/// Empty without TLS.
#[cfg(not(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm"))))]
type Roots = [(); 0];

/// Builder of a [`Transport`]. The builder of a client, which `client!` makes, documents its methods.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder<D: Document> {
    addresses: Vec<(D::Server, &'static str, String)>,
    credentials: Credentials<D>,
    http: Option<reqwest::Client>,
    connect_timeout: Option<Duration>,
    timeout: Option<Duration>,
    deadline: Option<Duration>,
    retry: RetryPolicy,
    max_response_bytes: Option<u64>,
    roots: Roots,
    user_agent: Option<HeaderValue>,
    invalid: Option<String>,
}

impl<D: Document> Default for Builder<D> {
    fn default() -> Self {
        Self {
            addresses: Vec::new(),
            credentials: Credentials::default(),
            http: None,
            connect_timeout: None,
            timeout: None,
            deadline: None,
            retry: RetryPolicy::default(),
            max_response_bytes: None,
            roots: Roots::default(),
            user_agent: None,
            invalid: None,
        }
    }
}

impl<D: Document> Builder<D> {
    /// Sets the base URL of a server.
    pub fn address(self, server: D::Server, url: impl Into<String>) -> Self {
        self.named_address(server, "address", url)
    }

    /// Sets a base URL, with its name in errors.
    pub fn named_address(mut self, server: D::Server, name: &'static str, url: impl Into<String>) -> Self {
        self.addresses.retain(|(known, ..)| *known != server);
        self.addresses.push((server, name, url.into()));
        self
    }

    /// Sets a credential, sent with the operations that accept it.
    pub fn credential(mut self, credential: D::Credential, value: impl AsRef<str>) -> Self {
        if let Err(complaint) = self.credentials.set(credential, value.as_ref()) {
            let setter = D::SETTERS.iter().find(|(known, ..)| *known == credential);
            let name = setter.map_or("credential", |(_, setter, _)| setter);
            self.invalid = Some(format!("{name}: the value {complaint}"));
        }
        self
    }

    /// Sets a function that obtains the value of a credential, such as a token that expires.
    pub fn token_provider<F, T, E>(mut self, credential: D::Credential, provider: F) -> Self
    where
        F: Fn(Option<Secret>) -> T + Send + Sync + 'static,
        T: Future<Output = Result<Secret, E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let provider = move |refused| -> Token {
            let token = provider(refused);
            Box::pin(async move { token.await.map_err(Into::into) })
        };
        self.credentials.set_provider(credential, Arc::new(provider));
        self
    }

    /// The header that carries a credential, where the document has several names for it.
    pub fn credential_header(mut self, credential: D::Credential, header: impl AsRef<str>) -> Self {
        if !self.credentials.set_header(credential, header.as_ref()) {
            let names = credential.headers().join(" or ");
            self.invalid = Some(format!("credential_header: the header of this credential is {names}"));
        }
        self
    }

    /// The word that stands for `service` in header names.
    pub fn header_prefix(mut self, word: impl AsRef<str>) -> Self {
        if !self.credentials.set_prefix(word.as_ref()) {
            let complaint = "the header prefix is not made of lower-case letters, digits and inner hyphens";
            self.invalid = Some(complaint.to_owned());
        }
        self
    }

    /// Sets the timeout for connecting.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// Sets the timeout of each attempt.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the timeout of a call with all its attempts and pauses.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets when calls are retried.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Sets the maximum length of a response body, in bytes.
    pub fn max_response_bytes(mut self, bytes: u64) -> Self {
        self.max_response_bytes = Some(bytes);
        self
    }

    /// Adds the trusted certificates of a PEM file.
    #[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
    pub fn root_certificates(mut self, pem: impl AsRef<[u8]>) -> Self {
        match reqwest::Certificate::from_pem_bundle(pem.as_ref()) {
            Ok(roots) if !roots.is_empty() => self.roots.extend(roots),
            _ => self.invalid = Some("the root certificates: there is no certificate in PEM".to_owned()),
        }
        self
    }

    /// The `User-Agent` of requests.
    pub fn user_agent(mut self, agent: impl AsRef<str>) -> Self {
        match HeaderValue::from_str(agent.as_ref()) {
            Ok(agent) => self.user_agent = Some(agent),
            Err(_) => self.invalid = Some("the user agent is not printable ASCII".to_owned()),
        }
        self
    }

    /// A `reqwest` client of your own.
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRequest`] where an address or a key is missing or malformed.
    pub fn build(self) -> Result<Transport<D>, Error> {
        if let Some(complaint) = self.invalid {
            return Err(Error::invalid_request(complaint));
        }
        let addresses = Addresses::new(self.addresses)?;
        let own = self.http.is_none();
        if own && !TLS && addresses.any_https() {
            let complaint = "https needs TLS, and this build has none: turn on the feature `rustls` or `native-tls` of \
                             the client, or give an `http_client` that has it";
            return Err(Error::invalid_request(complaint));
        }
        let usual = |usual: Duration| own.then_some(usual);
        let http = match (self.http, self.connect_timeout) {
            (Some(_), Some(_)) => {
                let complaint = "connect_timeout: set it on the `reqwest` client that you give";
                return Err(Error::invalid_request(complaint));
            }
            (Some(_), None) if !self.roots.is_empty() => {
                let complaint = "root_certificates: set them on the `reqwest` client that you give";
                return Err(Error::invalid_request(complaint));
            }
            (Some(http), None) => http,
            (None, timeout) => http(timeout, self.roots)?,
        };
        Ok(Transport {
            inner: Arc::new(Inner {
                http,
                times: Times {
                    timeout: self.timeout.or(usual(TIMEOUT)),
                    deadline: self.deadline,
                    usual_deadline: usual(DEADLINE),
                },
                retry: self.retry,
                max_response_bytes: self.max_response_bytes.unwrap_or(MAX_RESPONSE_BYTES),
                user_agent: self
                    .user_agent
                    .or(own.then_some(HeaderValue::from_static(D::USER_AGENT))),
                addresses,
                credentials: self.credentials,
            }),
        })
    }
}

#[cfg(not(target_family = "wasm"))]
fn http(connect_timeout: Option<Duration>, roots: Roots) -> Result<reqwest::Client, Error> {
    let builder = reqwest::Client::builder()
        .connect_timeout(connect_timeout.unwrap_or(CONNECT_TIMEOUT))
        .redirect(reqwest::redirect::Policy::none());
    trusting(builder, roots)
        .build()
        .map_err(|_| Error::invalid_request("the system's certificates or its TLS cannot be used"))
}

/// The host connects, and follows redirects as it likes.
#[cfg(target_family = "wasm")]
fn http(_: Option<Duration>, _: Roots) -> Result<reqwest::Client, Error> {
    Ok(reqwest::Client::new())
}

#[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
fn trusting(builder: reqwest::ClientBuilder, roots: Roots) -> reqwest::ClientBuilder {
    // The setting turns off the certificates of the system if there are none to add.
    if roots.is_empty() {
        builder
    } else {
        builder.tls_certs_merge(roots)
    }
}

#[cfg(all(not(any(feature = "rustls", feature = "native-tls")), not(target_family = "wasm")))]
fn trusting(builder: reqwest::ClientBuilder, _: Roots) -> reqwest::ClientBuilder {
    builder
}
