//! The client of a document, and its builder.

/// Defines `Client` and `ClientBuilder` of a document, so that generated code can give them a method for each operation
/// and a setter for each credential.
#[doc(hidden)]
#[macro_export]
macro_rules! client {
    ($document:ty) => {
        /// Client of the service. It is cheap to clone; clones share their connections.
        #[derive(Clone, Debug)]
        pub struct Client(pub(super) $crate::Transport<$document>);

        impl Client {
            /// Returns a builder.
            pub fn builder() -> ClientBuilder {
                ClientBuilder::default()
            }

            /// Builds a client from environment variables: see [`ClientBuilder::from_env`].
            ///
            /// # Errors
            ///
            /// Those of [`ClientBuilder::build`].
            pub fn from_env() -> Result<Self, $crate::Error> {
                ClientBuilder::from_env().build()
            }
        }

        impl From<$crate::Transport<$document>> for Client {
            fn from(transport: $crate::Transport<$document>) -> Self {
                Self(transport)
            }
        }

        /// Builder of a [`Client`]. It sends nothing.
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
            /// Returns a builder with the addresses, the credentials and the [header prefix](Self::header_prefix) that
            /// environment variables hold; the setters name the variables. A variable that is missing, empty or not
            /// Unicode is ignored. Setters override values that were read.
            pub fn from_env() -> Self {
                Self($crate::codegen::Builder::from_env())
            }

            /// Sets the address of a server. Servers without one use that of the service; third-party documents may have
            /// default URLs, as the setters of addresses say.
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

            /// Sets a credential for the operations that accept it: a key, a token, or a user and a password with a colon
            /// between them.
            pub fn credential(
                self,
                credential: <$document as $crate::Document>::Credential,
                value: impl AsRef<str>,
            ) -> Self {
                Self(self.0.credential(credential, value))
            }

            /// Sets a function that returns the value of a credential, such as a token that expires. It is called before
            /// each attempt, so it should cache the token. After a 401 it is called again, with the rejected token, and the
            /// call is repeated with the new one. Its failure is [`Error::Token`](crate::Error::Token).
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

            /// Sets the header of a credential, if the document has several names for it: `X-Service-Org-Key` in place of
            /// `X-Management-Key`, for a service that accepts only the former. Write it as the document does; the
            /// [prefix](Self::header_prefix) applies to it.
            pub fn credential_header(
                self,
                credential: <$document as $crate::Document>::Credential,
                header: impl AsRef<str>,
            ) -> Self {
                Self(self.0.credential_header(credential, header))
            }

            /// Sets the prefix that replaces `service` in header names such as `x-service-api-key`: with `acme`, keys are
            /// sent in `x-acme-api-key`.
            pub fn header_prefix(self, word: impl AsRef<str>) -> Self {
                Self(self.0.header_prefix(word))
            }

            /// Sets the timeout for connecting: 10 seconds by default. In WebAssembly, the host decides.
            pub fn connect_timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.connect_timeout(timeout))
            }

            /// Sets the timeout of each attempt, from connecting to the last byte: 30 seconds by default, unless
            /// [`http_client`](Self::http_client) is set, whose timeout applies.
            pub fn timeout(self, timeout: std::time::Duration) -> Self {
                Self(self.0.timeout(timeout))
            }

            /// Sets the timeout of a call with all its attempts and the pauses between them. The default is 60 seconds, or the
            /// timeout of an attempt if that is longer; with an [`http_client`](Self::http_client), there is none.
            pub fn deadline(self, deadline: std::time::Duration) -> Self {
                Self(self.0.deadline(deadline))
            }

            /// Sets the retries: two by default. [`RetryPolicy::none`](crate::RetryPolicy::none) turns them off.
            pub fn retry(self, policy: $crate::RetryPolicy) -> Self {
                Self(self.0.retry(policy))
            }

            /// Sets the maximum size of a response body, in bytes; a longer one is [`Error::TooLarge`](crate::Error::TooLarge). 64 MiB by default.
            pub fn max_response_bytes(self, bytes: u64) -> Self {
                Self(self.0.max_response_bytes(bytes))
            }

            /// Adds trusted certificates, in PEM, such as that of a private authority. It cannot be combined with
            /// [`http_client`](Self::http_client).
            #[cfg(all(any(feature = "rustls", feature = "native-tls"), not(target_family = "wasm")))]
            pub fn root_certificates(self, pem: impl AsRef<[u8]>) -> Self {
                Self(self.0.root_certificates(pem))
            }

            /// Sets the `User-Agent` of requests: by default the name and the version of this crate, unless
            /// [`http_client`](Self::http_client) is set, which has its own.
            pub fn user_agent(self, agent: impl AsRef<str>) -> Self {
                Self(self.0.user_agent(agent))
            }

            /// Sets the `reqwest` client, with its timeouts, proxies and pools.
            ///
            /// It should not follow redirects: they would send keys to other hosts. If it retries by itself, turn off one of
            /// the two. It cannot be combined with [`connect_timeout`](Self::connect_timeout).
            pub fn http_client(self, http: $crate::codegen::reqwest::Client) -> Self {
                Self(self.0.http_client(http))
            }

            /// Builds the client.
            ///
            /// # Errors
            ///
            /// [`Error::InvalidRequest`](crate::Error::InvalidRequest) if an address or a key is missing or malformed.
            pub fn build(self) -> Result<Client, $crate::Error> {
                self.0.build().map(Client)
            }
        }
    };
}
