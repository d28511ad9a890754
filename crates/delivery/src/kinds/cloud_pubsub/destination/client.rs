//! Requests to the service over gRPC, each retried a few times after a transient fault.

use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes};
use google_cloud_auth::credentials::{CacheableResource, Credentials};
use google_cloud_gax::backoff_policy::BackoffPolicy;
use google_cloud_gax::exponential_backoff::{ExponentialBackoff, ExponentialBackoffBuilder};
use google_cloud_gax::retry_state::RetryState;
use http::HeaderMap;
use http::uri::PathAndQuery;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::{AsciiMetadataValue, MetadataMap};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Extensions, Request, Status};

use super::wire;

const PATH: &str = "/google.pubsub.v1.Publisher/Publish";
/// The header that routes a request to the location of its topic.
const ROUTING: &str = "x-goog-request-params";
/// Characters that stay as they are in that header.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Maximum number of attempts of a request.
const ATTEMPTS: u32 = 3;
/// The first and the longest pause between attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];
/// Maximum number of concurrent requests of a connection.
const ON_A_CONNECTION: usize = 100;

/// Sends requests over one connection, which is made for the first of them and again when it broke. Clones share it.
#[derive(Clone)]
pub(super) struct Client {
    channel: Channel,
    credentials: Credentials,
    pauses: Arc<ExponentialBackoff>,
}

/// Error of a request, at the last attempt.
#[derive(Debug)]
pub(super) enum RequestError {
    /// There is no token. The error may be transient.
    Token { transient: bool },
    /// Error of the service, or of the connection.
    Status(Status),
    /// The response does not have an id for each message.
    Ids,
}

impl Client {
    /// A client that connects for the first request. It must be made within a runtime.
    pub(super) fn new(url: &str, credentials: Credentials) -> Result<Self, tonic::transport::Error> {
        let agent = concat!("wearlab/", env!("CARGO_PKG_VERSION"));
        let mut endpoint = Endpoint::from_shared(url.to_owned())?
            .user_agent(agent)?
            .concurrency_limit(ON_A_CONNECTION);
        if url.starts_with("https:") {
            endpoint = endpoint.tls_config(ClientTlsConfig::new().with_native_roots())?;
        }
        let pauses = ExponentialBackoffBuilder::new()
            .with_initial_delay(PAUSES[0])
            .with_maximum_delay(PAUSES[1]);
        Ok(Self {
            channel: endpoint.connect_lazy(),
            credentials,
            pauses: Arc::new(pauses.clamp()),
        })
    }

    /// Publishes `count` messages of an encoded request to a topic.
    pub(super) async fn publish(&self, topic: &str, request: Bytes, count: usize) -> Result<(), RequestError> {
        let mut attempts = 1;
        loop {
            let error = match self.attempt(topic, request.clone()).await {
                Ok(ids) if ids == count => return Ok(()),
                Ok(_) => return Err(RequestError::Ids),
                Err(error) => error,
            };
            if attempts == ATTEMPTS || !error.may_pass() {
                return Err(error);
            }
            let state = RetryState::new(true).set_attempt_count(attempts);
            tokio::time::sleep(self.pauses.on_failure(&state)).await;
            attempts += 1;
        }
    }

    /// Sends a request once. Returns the number of ids in the response.
    async fn attempt(&self, topic: &str, request: Bytes) -> Result<usize, RequestError> {
        let token = self.credentials.headers(http::Extensions::new()).await;
        let headers = match token {
            Ok(CacheableResource::New { data, .. }) => data,
            Ok(CacheableResource::NotModified) => HeaderMap::new(),
            Err(error) => {
                return Err(RequestError::Token {
                    transient: error.is_transient(),
                });
            }
        };
        let mut metadata = MetadataMap::from_headers(headers);
        let routing = format!("topic={}", utf8_percent_encode(topic, PLAIN));
        if let Ok(routing) = AsciiMetadataValue::try_from(routing) {
            metadata.insert(ROUTING, routing);
        }
        let request = Request::from_parts(metadata, Extensions::new(), request);
        let mut grpc = Grpc::new(self.channel.clone());
        let response = async {
            let ready = grpc.ready().await;
            ready.map_err(|error| Status::from_error(error.into()))?;
            grpc.unary(request, PathAndQuery::from_static(PATH), Publish).await
        };
        match response.await {
            Ok(response) => Ok(response.into_inner()),
            Err(status) => Err(RequestError::Status(status)),
        }
    }
}

impl RequestError {
    /// Returns whether another attempt may succeed: by the service's documentation of its codes, or after a fault of
    /// the connection.
    fn may_pass(&self) -> bool {
        match self {
            Self::Token { transient } => *transient,
            Self::Ids => false,
            Self::Status(status) => {
                use std::error::Error as _;
                let is_passing = matches!(
                    status.code(),
                    Code::Aborted
                        | Code::DeadlineExceeded
                        | Code::Internal
                        | Code::ResourceExhausted
                        | Code::Unavailable
                        | Code::Unknown
                );
                is_passing || status.source().is_some()
            }
        }
    }
}

/// Codec of requests and responses: requests come encoded, and the ids of responses are counted.
struct Publish;

impl Codec for Publish {
    type Encode = Bytes;
    type Decode = usize;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Publish {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, request: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(request.len());
        buffer.put(request);
        Ok(())
    }
}

impl Decoder for Publish {
    type Item = usize;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<usize>, Status> {
        let ids = wire::count_ids(buffer).ok_or_else(|| Status::internal("the response is malformed"))?;
        Ok(Some(ids))
    }
}
