//! The HTTP service around the operations: one concern a file. This one puts them in order, outermost first.
//!
//! What is around a request is a function of the request and of what handles it, so that a read takes the same way with a
//! router ([`limited`] and [`layered`]) and without one ([`Direct`]).

mod authenticated;
mod cache;
mod compression;
mod connections;
mod cors;
mod deliveries;
mod direct;
mod faults;
mod host;
mod load;
mod metrics;
mod open_connections;
mod open_files;
mod probes;
mod rate;
mod setup;
mod size;
mod streams;
mod timeouts;
mod tls;
mod warning;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::cors::CorsLayer;
use wearlab_server::layers::{Accepted, Exchange, IfNoneMatch, catch_panic, operation_of, with_back_end};
use wearlab_server::{ApiError, HeaderPrefix, Operation};

use self::authenticated::Authentication;
use self::cache::Policy;
use self::compression::Coding;
pub(crate) use self::connections::Listener;
pub(crate) use self::direct::Direct;
pub(crate) use self::faults::make_faults;
use self::load::Turn;
pub(crate) use self::load::{after, without_permit};
use self::metrics::Counting;
pub(crate) use self::metrics::Metrics;
use self::open_connections::OfConnection;
pub(crate) use self::open_files::allow as allow_open_files;
pub(crate) use self::probes::{Stage, routes as probes};
pub(crate) use self::rate::RateLimiter;
pub(crate) use self::setup::{Setup, check, check_certificate};
use self::size::Bounds;
use crate::config::http::Timeouts;

pub use self::probes::{Backend, StoreState};
pub use self::setup::InvalidSetting;

/// What is around every operation, page and probe.
pub(crate) struct Around {
    metrics: Arc<Metrics>,
    cors: Option<CorsLayer>,
    policy: Policy,
    bounds: Bounds,
    /// One for each request that may be worked on.
    permits: Arc<Semaphore>,
    timeouts: Timeouts,
    /// How many times longer a decoded body may be than it was received.
    decoded_ratio: u32,
    prefix: HeaderPrefix,
}

/// What is known of a request beside what it says. On its way through the router, it is in the extensions of the request, which
/// are memory of their own.
struct Facts {
    operation: Option<&'static Operation>,
    connection: Option<OfConnection>,
}

impl Facts {
    fn of(request: &Request) -> Self {
        Self {
            operation: operation_of(request),
            connection: request.extensions().get().cloned(),
        }
    }
}

/// Routes of the interface with the limits that each request to them has.
pub(crate) fn limited<A: Backend>(routes: Router<Arc<A>>, around: &Arc<Around>) -> Router<Arc<A>> {
    routes.layer(from_fn_with_state(around.clone(), within_limits))
}

async fn within_limits(State(around): State<Arc<Around>>, request: Request, next: Next) -> Response {
    let facts = Facts::of(&request);
    let handle = |request| next.run(request);
    around.within_limits(request, &facts, handle).await
}

/// Gives routes their back end and what every request and every response has, also where no route is.
pub(crate) fn layered<A: Backend>(routes: Router<Arc<A>>, api: Arc<A>, around: &Arc<Around>) -> Router {
    with_back_end(routes, api).layer(from_fn_with_state(around.clone(), exchange))
}

async fn exchange(State(around): State<Arc<Around>>, mut request: Request, next: Next) -> Response {
    let exchange = Exchange::begin(&mut request);
    let facts = Facts::of(&request);
    let handle = |request| next.run(request);
    around.exchange(exchange, request, &facts, handle).await
}

impl Around {
    pub(crate) fn new(setup: &Setup) -> Arc<Self> {
        let settings = &setup.settings;
        // Rules that cannot be are found here, and not by a request.
        if let Some(cors) = &setup.cors {
            let _ = cors.layer(());
        }
        Arc::new(Self {
            metrics: setup.metrics.clone(),
            cors: setup.cors.clone(),
            policy: Policy::of(settings),
            bounds: Bounds::of(settings),
            permits: setup.permits.clone(),
            timeouts: settings.timeouts.clone(),
            decoded_ratio: settings.limits.decoded_ratio,
            prefix: setup.prefix.clone(),
        })
    }

    /// Request ids, log and problem documents, which everything further in needs; within them metrics.
    async fn exchange<F: Future<Output = Response>>(
        &self,
        exchange: Exchange,
        request: Request,
        facts: &Facts,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let counting = Counting::begin(&self.metrics, &request, facts.operation);
        // In its place: futures are large, and would be copied into each that is around them.
        let handled = pin!(self.share(request, facts, handle));
        let response = exchange.run(handled).await;
        counting.end(&self.metrics, &response);
        exchange.complete(response)
    }

    /// CORS, above the limits: a page can read why it was refused, and a browser sends its preflight without a key.
    async fn share<F: Future<Output = Response>>(
        &self,
        request: Request,
        facts: &Facts,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let Some(cors) = &self.cors else {
            return self.represent(request, facts, handle).await;
        };
        let mut handle = Some(handle);
        let service = service_fn(|request| {
            let handle = handle.take();
            async {
                Ok::<_, Infallible>(match handle {
                    Some(handle) => self.represent(request, facts, handle).await,
                    None => ApiError::internal("a request was handled twice").into_response(),
                })
            }
        });
        let Ok(response) = cors.layer(service).oneshot(request).await;
        response
    }

    /// Entity tags and 304, outside compression: a compressed response has its own entity tag, and a 304 compresses nothing.
    /// Within them 406 for codings, which has no tag, and compression.
    async fn represent<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        facts: &Facts,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let known = IfNoneMatch::of(&request);
        compression::accept_writes(&mut request, facts.operation);
        let coding = Coding::of(&request);
        let response = self.bound(request, facts, handle).await;
        known.check(coding.apply(response).await)
    }

    /// `Cache-Control`; within it size and host, before anything reads the request.
    async fn bound<F: Future<Output = Response>>(
        &self,
        request: Request,
        facts: &Facts,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let cache = self.policy.of_request(&request, facts.operation);
        let mut response = match size::admit(&self.bounds, request, facts.operation).await {
            Ok(request) => handle(request).await,
            Err(refused) => refused,
        };
        cache.mark(&mut response);
        response
    }

    /// A request beyond the limit costs nothing further; the timeout holds for what does the work; 406 looks at the response
    /// of the operation, and is nothing that probes should meet; a panic is an error of its operation.
    async fn within_limits<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        facts: &Facts,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let Some(turn) = Turn::take(&self.permits, self.timeouts.handler, &request) else {
            return load::shed();
        };
        let accepted = Accepted::by(&request);
        let authentication = Authentication::of(facts);
        let stream = streams::Stream::of(&request, facts.operation, self.decoded_ratio, self.timeouts.body);
        if !self.prefix.is_documented() {
            request.extensions_mut().insert(self.prefix.clone());
        }
        let handle = async |request| catch_panic(pin!(handle(request))).await;
        let handled = pin!(stream.run(request, handle));
        let response = turn.work(handled).await;
        authentication.note(&response);
        accepted.check(response)
    }
}
