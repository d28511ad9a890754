//! Puts a client together.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use wearlab_models::Secret;

use crate::addresses::Addresses;
use crate::credentials::{Credentials, Token};
use crate::generated::credentials::SETTERS;
use crate::operations::{Credential, Server};
use crate::transport::{Inner, Times};
use crate::{Client, Error, RetryPolicy};

#[cfg(not(target_family = "wasm"))]
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
const DEADLINE: Duration = Duration::from_secs(60);
const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;
/// True if the client does TLS by itself.
const TLS: bool = cfg!(any(feature = "rustls", feature = "native-tls", target_family = "wasm"));
const USER_AGENT: &str = concat!("wearlab-client/", env!("CARGO_PKG_VERSION"));

/// Certificates that are trusted besides those of the system.
#[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
type Roots = Vec<reqwest::Certificate>;
/// Without TLS there are none.
#[cfg(not(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm"))))]
type Roots = [(); 0];

/// Puts a [`Client`] together. Nothing is sent until an operation is.
///
/// Addresses are checked by [`build`](Self::build), keys, headers and the header prefix as well: a key must be
/// printable ASCII, and not empty. A document that names other servers or credentials has them set by
/// [`address`](Self::address) and [`credential`](Self::credential).
///
/// Three times bound a call: [`connect_timeout`](Self::connect_timeout) for a connection, [`timeout`](Self::timeout)
/// for each attempt, [`deadline`](Self::deadline) for all attempts and the pauses between them.
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct ClientBuilder {
    addresses: Vec<(Server, &'static str, String)>,
    credentials: Credentials,
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

impl Client {
    /// Begins a client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }
}

impl ClientBuilder {
    /// The address of any server; the service address, unless it is set.
    pub fn address(self, server: Server, url: impl Into<String>) -> Self {
        self.named_address(server, "address", url)
    }

    /// An address, with its name in complaints.
    pub(crate) fn named_address(mut self, server: Server, name: &'static str, url: impl Into<String>) -> Self {
        self.addresses.retain(|(known, ..)| *known != server);
        self.addresses.push((server, name, url.into()));
        self
    }

    /// Any credential, sent where an operation takes it: a key, a token, or user and password with a colon between
    /// them.
    pub fn credential(mut self, credential: Credential, value: impl AsRef<str>) -> Self {
        if let Err(complaint) = self.credentials.set(credential, value.as_ref()) {
            let setter = SETTERS.iter().find(|(known, ..)| *known == credential);
            let name = setter.map_or("credential", |(_, setter, _)| setter);
            self.invalid = Some(format!("{name}: the value {complaint}"));
        }
        self
    }

    /// A function that obtains the value of a credential, such as a token that expires. It is called before each
    /// attempt, so it should keep its token; where the service refused that one with 401, it is called once more with
    /// it, and the call is repeated with the new one. Its failure is [`Error::Token`].
    pub fn token_provider<F, T, E>(mut self, credential: Credential, provider: F) -> Self
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

    /// The header that carries a credential, where the document has several names for it: `X-Service-Org-Key` in place of
    /// `X-Management-Key`, for a service that knows only the former. It is written as in the document; the
    /// [prefix](Self::header_prefix) applies to it.
    pub fn credential_header(mut self, credential: Credential, header: impl AsRef<str>) -> Self {
        if !self.credentials.set_header(credential, header.as_ref()) {
            let names = credential.headers().join(" or ");
            self.invalid = Some(format!("credential_header: the header of this credential is {names}"));
        }
        self
    }

    /// The word that stands for `service` in header names such as `x-service-api-key`, where the service was given
    /// another: with `acme`, keys are sent in `x-acme-api-key`.
    pub fn header_prefix(mut self, word: impl AsRef<str>) -> Self {
        if !self.credentials.set_prefix(word.as_ref()) {
            let complaint = "the header prefix is not made of lower-case letters, digits and inner hyphens";
            self.invalid = Some(complaint.to_owned());
        }
        self
    }

    /// Sets the timeout for connecting: 10 seconds by default. In WebAssembly, the host decides.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// Sets the timeout of each attempt, from connecting to the last byte: 30 seconds by default, unless
    /// [`http_client`](Self::http_client) is, which then decides.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the timeout of a call with all its attempts and the pauses between them. By default 60 seconds, or as long
    /// as an attempt may take where that is longer; with an [`http_client`](Self::http_client), there is no deadline
    /// then.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets when calls are retried: twice by default. [`RetryPolicy::none`] turns it off.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Sets the most bytes of a response's body; a longer one is [`Error::TooLarge`]. 64 MiB by default.
    pub fn max_response_bytes(mut self, bytes: u64) -> Self {
        self.max_response_bytes = Some(bytes);
        self
    }

    /// Trusts the certificates of a PEM file, too, such as that of a private authority. It cannot be given together
    /// with [`http_client`](Self::http_client).
    #[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
    pub fn root_certificates(mut self, pem: impl AsRef<[u8]>) -> Self {
        match reqwest::Certificate::from_pem_bundle(pem.as_ref()) {
            Ok(roots) if !roots.is_empty() => self.roots.extend(roots),
            _ => self.invalid = Some("the root certificates: there is no certificate in PEM".to_owned()),
        }
        self
    }

    /// The `User-Agent` of requests: `wearlab-client/` and its version, unless it is set, or unless
    /// [`http_client`](Self::http_client) is, which then decides.
    pub fn user_agent(mut self, agent: impl AsRef<str>) -> Self {
        match HeaderValue::from_str(agent.as_ref()) {
            Ok(agent) => self.user_agent = Some(agent),
            Err(_) => self.invalid = Some("the user agent is not printable ASCII".to_owned()),
        }
        self
    }

    /// A `reqwest` client of your own, with its own time-outs, proxies and pools.
    ///
    /// Let it follow no redirects: the headers that carry keys would go along to another host. Where it tries again by
    /// itself, turn one of the two off. It cannot be given together with [`connect_timeout`](Self::connect_timeout).
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidRequest`] where an address or a key is missing or malformed.
    pub fn build(self) -> Result<Client, Error> {
        if let Some(complaint) = self.invalid {
            return Err(Error::invalid_request(complaint));
        }
        let addresses = Addresses::new(Server::Base, self.addresses)?;
        let own = self.http.is_none();
        if own && !TLS && addresses.any_https() {
            let complaint = "https needs TLS, and this build has none: turn on the feature `rustls` or `native-tls` of \
                             wearlab-client, or give an `http_client` that has it";
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
        Ok(Client {
            inner: Arc::new(Inner {
                http,
                times: Times {
                    timeout: self.timeout.or(usual(TIMEOUT)),
                    deadline: self.deadline,
                    usual_deadline: usual(DEADLINE),
                },
                retry: self.retry,
                max_response_bytes: self.max_response_bytes.unwrap_or(MAX_RESPONSE_BYTES),
                user_agent: self.user_agent.or(own.then_some(HeaderValue::from_static(USER_AGENT))),
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
    // The setting turns off what the system trusts where there is nothing to add.
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
