//! The client of a document, and its builder.

/// Defines `Client` and `ClientBuilder` of a document, so that generated code can give them a method for each operation
/// and a setter for each credential.
#[doc(hidden)]
#[macro_export]
macro_rules! client {
    ($document:ty) => {
        /// A client of the service. It is cheap to clone, and clones share their connections.
        #[derive(Clone, Debug)]
        pub struct Client(pub(super) $crate::Transport<$document>);

        impl Client {
            /// Begins a client.
            pub fn builder() -> ClientBuilder {
                ClientBuilder::default()
            }

            /// The client that the environment describes: see [`ClientBuilder::from_env`].
            ///
            /// # Errors
            ///
            /// As [`ClientBuilder::build`].
            pub fn from_env() -> Result<Self, $crate::Error> {
                ClientBuilder::from_env().build()
            }
        }

        impl From<$crate::Transport<$document>> for Client {
            fn from(transport: $crate::Transport<$document>) -> Self {
                Self(transport)
            }
        }

        /// Puts a [`Client`] together. Nothing is sent until an operation is.
        ///
        /// Addresses are checked by [`build`](Self::build), keys, headers and the header prefix as well: a key must be
        /// printable ASCII, and not empty.
        ///
        /// Three times bound a call: [`connect_timeout`](Self::connect_timeout) for a connection,
        /// [`timeout`](Self::timeout) for each attempt, [`deadline`](Self::deadline) for all attempts and the pauses
        /// between them.
        #[derive(Clone, Debug, Default)]
        #[must_use = "a builder does nothing until `build`"]
        pub struct ClientBuilder($crate::codegen::Builder<$document>);

        impl ClientBuilder {
            /// A builder with what the environment says: an address or a credential of each setter that names a variable,
            /// and the [prefix](Self::header_prefix). A variable that is not there, is empty or is no Unicode is left
            /// out, and what is set afterwards takes the place of what was read.
            pub fn from_env() -> Self {
                Self($crate::codegen::Builder::from_env())
            }

            /// The address of any server; the service address, unless it is set.
            pub fn address(self, server: <$document as $crate::Document>::Server, url: impl Into<String>) -> Self {
                Self(self.0.address(server, url))
            }

            pub(super) fn named_address(
                self,
                server: <$document as $crate::Document>::Server,
                name: &'static str,
                url: impl Into<String>,
            ) -> Self {
                Self(self.0.named_address(server, name, url))
            }

            /// Any credential, sent where an operation takes it: a key, a token, or user and password with a colon between
            /// them.
            pub fn credential(
                self,
                credential: <$document as $crate::Document>::Credential,
                value: impl AsRef<str>,
            ) -> Self {
                Self(self.0.credential(credential, value))
            }

            /// A function that obtains the value of a credential, such as a token that expires. It is called before each
            /// attempt, so it should keep its token; where the service refused that one with 401, it is called once more with
            /// it, and the call is repeated with the new one. Its failure is [`Error::Token`](crate::Error::Token).
            pub fn token_provider<F, T, E>(
                self,
                credential: <$document as $crate::Document>::Credential,
                provider: F,
            ) -> Self
            where
                F: Fn(Option<$crate::codegen::Secret>) -> T + Send + Sync + 'static,
                T: Future<Output = Result<$crate::codegen::Secret, E>> + Send + 'static,
                E: Into<Box<dyn std::error::Error + Send + Sync>>,
            {
                Self(self.0.token_provider(credential, provider))
            }

            /// The header that carries a credential, where the document has several names for it: `X-Service-Org-Key` in place of
            /// `X-Management-Key`, for a service that knows only the former. It is written as in the document; the
            /// [prefix](Self::header_prefix) applies to it.
            pub fn credential_header(
                self,
                credential: <$document as $crate::Document>::Credential,
                header: impl AsRef<str>,
            ) -> Self {
                Self(self.0.credential_header(credential, header))
            }

            /// The word that stands for `service` in header names such as `x-service-api-key`, where the service was given
            /// another: with `acme`, keys are sent in `x-acme-api-key`.
            pub fn header_prefix(self, word: impl AsRef<str>) -> Self {
                Self(self.0.header_prefix(word))
            }

            /// Sets the timeout for connecting: 10 seconds by default. In WebAssembly, the host decides.
            pub fn connect_timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.connect_timeout(timeout))
            }

            /// Sets the timeout of each attempt, from connecting to the last byte: 30 seconds by default, unless
            /// [`http_client`](Self::http_client) is, which then decides.
            pub fn timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.timeout(timeout))
            }

            /// Sets the timeout of a call with all its attempts and the pauses between them. By default 60 seconds, or as long
            /// as an attempt may take where that is longer; with an [`http_client`](Self::http_client), there is no deadline
            /// then.
            pub fn deadline(self, deadline: std::time::Duration) -> Self {
                Self(self.0.deadline(deadline))
            }

            /// Sets when calls are retried: twice by default. [`RetryPolicy::none`](crate::RetryPolicy::none) turns it off.
            pub fn retry(self, policy: $crate::RetryPolicy) -> Self {
                Self(self.0.retry(policy))
            }

            /// Sets the most bytes of a response's body; a longer one is [`Error::TooLarge`](crate::Error::TooLarge). 64 MiB by default.
            pub fn max_response_bytes(self, bytes: u64) -> Self {
                Self(self.0.max_response_bytes(bytes))
            }

            /// Trusts the certificates of a PEM file, too, such as that of a private authority. It cannot be given together
            /// with [`http_client`](Self::http_client).
            #[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
            pub fn root_certificates(self, pem: impl AsRef<[u8]>) -> Self {
                Self(self.0.root_certificates(pem))
            }

            /// The `User-Agent` of requests: the name of this crate and its version, unless it is set, or unless
            /// [`http_client`](Self::http_client) is, which then decides.
            pub fn user_agent(self, agent: impl AsRef<str>) -> Self {
                Self(self.0.user_agent(agent))
            }

            /// A `reqwest` client of your own, with its own time-outs, proxies and pools.
            ///
            /// Let it follow no redirects: the headers that carry keys would go along to another host. Where it tries again by
            /// itself, turn one of the two off. It cannot be given together with [`connect_timeout`](Self::connect_timeout).
            pub fn http_client(self, http: $crate::codegen::reqwest::Client) -> Self {
                Self(self.0.http_client(http))
            }

            /// The client.
            ///
            /// # Errors
            ///
            /// [`Error::InvalidRequest`](crate::Error::InvalidRequest) where an address or a key is missing or malformed.
            pub fn build(self) -> Result<Client, $crate::Error> {
                self.0.build().map(Client)
            }
        }
    };
}
