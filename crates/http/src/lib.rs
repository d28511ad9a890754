//! HTTP middleware of the service, one concern per file, in this order, outermost first.
//!
//! Each middleware is a function of the request and its handler, so that reads have the same ones with a router
//! ([`limited`] and [`layered`]) and without one ([`FastPath`]).

mod authenticated;
mod backend;
mod cache;
mod compression;
mod connections;
mod cors;
mod fast_path;
mod faults;
mod host;
mod load;
mod metrics;
mod open_connections;
mod open_files;
mod probes;
mod rate;
mod request_info;
pub mod settings;
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
use axum::http::HeaderValue;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::cors::CorsLayer;
use wearlab_server::layers::{Accepted, IfNoneMatch, RequestScope, catch_panic, with_back_end};
use wearlab_server::{ApiError, HeaderPrefix};

use self::authenticated::Authentication;
pub use self::backend::{Backend, StoreState};
use self::cache::Policy;
pub use self::cache::{CATALOGUES, VALIDATED};
use self::compression::Coding;
pub use self::connections::Listener;
pub use self::fast_path::FastPath;
pub use self::faults::make_faults;
use self::load::RequestPermit;
pub use self::load::{after, without_permit};
use self::metrics::Counting;
pub use self::metrics::Metrics;
pub use self::open_files::allow as allow_open_files;
pub use self::probes::{ShutdownState, routes as probes};
pub use self::rate::RateLimiter;
use self::request_info::RequestInfo;
pub use self::setup::{Setup, check, check_certificate};
use self::size::Bounds;
use crate::settings::Timeouts;

/// `X-Content-Type-Options`: browsers do not guess another media type.
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Middleware of every operation, page and probe.
pub struct MiddlewareStack {
    metrics: Arc<Metrics>,
    cors: Option<CorsLayer>,
    policy: Policy,
    bounds: Bounds,
    /// One permit for each concurrent request.
    permits: Arc<Semaphore>,
    timeouts: Timeouts,
    /// Maximum ratio of a decoded body's length to its encoded length.
    decoded_ratio: u32,
    prefix: HeaderPrefix,
}

/// Adds the limits of each request to the routes of the API.
pub fn limited<A: Backend>(routes: Router<Arc<A>>, middleware: &Arc<MiddlewareStack>) -> Router<Arc<A>> {
    routes.layer(from_fn_with_state(middleware.clone(), within_limits))
}

async fn within_limits(State(middleware): State<Arc<MiddlewareStack>>, request: Request, next: Next) -> Response {
    let info = RequestInfo::of(&request);
    let handle = |request| next.run(request);
    middleware.within_limits(request, &info, handle).await
}

/// Adds the back end to routes, and the middleware to all requests, including those without a route.
pub fn layered<A: Backend>(routes: Router<Arc<A>>, api: Arc<A>, middleware: &Arc<MiddlewareStack>) -> Router {
    with_back_end(routes, api).layer(from_fn_with_state(middleware.clone(), scope))
}

async fn scope(State(middleware): State<Arc<MiddlewareStack>>, mut request: Request, next: Next) -> Response {
    let scope = RequestScope::begin(&mut request);
    let info = RequestInfo::of(&request);
    let handle = |request| next.run(request);
    middleware.scope(scope, request, &info, handle).await
}

impl MiddlewareStack {
    /// Creates the middleware of validated settings.
    pub fn new(setup: &Setup) -> Arc<Self> {
        let settings = &setup.settings;
        // Invalid rules panic here instead of at the first request.
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

    /// Applies request ids, the log and problem documents, which everything further in needs; within them metrics. Adds
    /// the headers of every response.
    async fn scope<F: Future<Output = Response>>(
        &self,
        scope: RequestScope,
        request: Request,
        info: &RequestInfo,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let counting = Counting::begin(&self.metrics, &request, info.operation);
        // Pinned on the stack: futures are large, and would be copied into each that wraps them.
        let handled = pin!(self.cors(request, info, handle));
        let response = scope.run(handled).await;
        counting.end(&self.metrics, &response);
        let mut response = scope.complete(response);
        response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
        response
    }

    /// Applies CORS, outside the limits: a page can read why it was refused, and a browser sends its preflight without
    /// a key.
    async fn cors<F: Future<Output = Response>>(
        &self,
        request: Request,
        info: &RequestInfo,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let Some(cors) = &self.cors else {
            return self.entity_tag(request, info, handle).await;
        };
        let mut handle = Some(handle);
        let service = service_fn(|request| {
            let handle = handle.take();
            async {
                Ok::<_, Infallible>(match handle {
                    Some(handle) => self.entity_tag(request, info, handle).await,
                    None => ApiError::internal("a request was handled twice").into_response(),
                })
            }
        });
        let Ok(response) = cors.layer(service).oneshot(request).await;
        response
    }

    /// Applies entity tags and 304, outside compression: a compressed response has its own entity tag, and a 304 has no
    /// body to compress. Within them come 406 for codings, which has no tag, and compression.
    async fn entity_tag<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        info: &RequestInfo,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let known = IfNoneMatch::of(&request);
        compression::accept_writes(&mut request, info.operation);
        let coding = Coding::of(&request);
        let response = self.size_limit(request, info, handle).await;
        known.check(coding.apply(response).await)
    }

    /// Adds `Cache-Control`; within it come the limits of size and host, before anything reads the request.
    async fn size_limit<F: Future<Output = Response>>(
        &self,
        request: Request,
        info: &RequestInfo,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let cache = self.policy.of_request(&request, info.operation);
        let mut response = match size::admit(&self.bounds, request, info.operation).await {
            Ok(request) => handle(request).await,
            Err(refused) => refused,
        };
        cache.mark(&mut response);
        response
    }

    /// Applies the limit of concurrent requests, the timeout, 406 and the conversion of panics. Probes have none of
    /// these.
    async fn within_limits<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        info: &RequestInfo,
        handle: impl FnOnce(Request) -> F,
    ) -> Response {
        let Some(permit) = RequestPermit::acquire(&self.permits, self.timeouts.handler, &request) else {
            return load::shed();
        };
        let accepted = Accepted::by(&request);
        let authentication = Authentication::of(info);
        let stream = streams::Stream::of(&request, info.operation, self.decoded_ratio, self.timeouts.body);
        if !self.prefix.is_documented() {
            request.extensions_mut().insert(self.prefix.clone());
        }
        let handle = async |request| catch_panic(pin!(handle(request))).await;
        let handled = pin!(stream.run(request, handle));
        let response = permit.run(handled).await;
        authentication.note(&response);
        accepted.check(response)
    }
}
