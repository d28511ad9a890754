//! The HTTP service around the operations: one concern a file. This one is the list of layers, outermost first.

mod authenticated;
mod cache;
mod compression;
mod connections;
mod cors;
mod deliveries;
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

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::{Extension, Router};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tower::util::option_layer;
use wearlab_server::layers::{Accepted, Exchange, IfNoneMatch, catch_panics, with_back_end};

use self::authenticated::Authentication;
use self::cache::Policy;
use self::compression::Coding;
pub(crate) use self::connections::Listener;
pub(crate) use self::faults::make_faults;
use self::load::Turn;
pub(crate) use self::load::after;
use self::metrics::Counting;
pub(crate) use self::metrics::Metrics;
pub(crate) use self::open_files::allow as allow_open_files;
pub(crate) use self::probes::{Stage, routes as probes};
pub(crate) use self::rate::RateLimiter;
pub(crate) use self::setup::{Setup, check, check_certificate};
use self::size::Bounds;
use crate::config::http::Timeouts;

pub use self::probes::{Backend, StoreState};
pub use self::setup::InvalidSetting;

/// Routes of the interface with the limits that each request to them has.
pub(crate) fn limited<A: Backend>(routes: Router<Arc<A>>, setup: &Setup) -> Router<Arc<A>> {
    let limits = (setup.permits.clone(), setup.settings.timeouts.clone());
    routes.layer((
        from_fn_with_state(limits, limit),
        Extension(setup.prefix.clone()),
        catch_panics(),
    ))
}

/// A request beyond the limit costs nothing further; the timeout holds for what does the work; 406 looks at the response
/// of the operation, and is nothing that probes should meet.
async fn limit(
    State((permits, timeouts)): State<(Arc<Semaphore>, Timeouts)>,
    request: Request,
    next: Next,
) -> Response {
    let Some(turn) = Turn::take(&permits, timeouts.handler, &request) else {
        return load::shed();
    };
    let accepted = Accepted::by(&request);
    let authentication = Authentication::of(&request);
    let stream = streams::Stream::of(&request, timeouts.body);
    let response = turn.work(stream.run(request, next)).await;
    authentication.note(&response);
    accepted.check(response)
}

/// Gives routes their back end and what every request and every response has, also where no route is. Outermost first.
pub(crate) fn layered<A: Backend>(routes: Router<Arc<A>>, api: Arc<A>, setup: &Setup) -> Router {
    let settings = &setup.settings;
    let bounds = Arc::new((cache::Policy::of(settings), size::Bounds::of(settings)));
    with_back_end(routes, api).layer((
        // Everything further in needs the request id and the problem documents of this one.
        from_fn_with_state(setup.metrics.clone(), observe),
        // Above the limits: a page can read why it was refused, and a browser sends its preflight without a key.
        option_layer(setup.cors.clone()),
        // Outside compression: a compressed response has its own entity tag, and a 304 compresses nothing.
        from_fn(represent),
        compression::layer(),
        from_fn_with_state(bounds, bound),
    ))
}

/// Request ids, log and problem documents; within them metrics.
async fn observe(State(metrics): State<Arc<Metrics>>, mut request: Request, next: Next) -> Response {
    let exchange = Exchange::begin(&mut request);
    let counting = Counting::begin(&metrics, &request);
    let response = exchange.run(next.run(request)).await;
    counting.end(&metrics, &response);
    exchange.complete(response)
}

/// Entity tags and 304; within them 406, which has no tag.
async fn represent(mut request: Request, next: Next) -> Response {
    let known = IfNoneMatch::of(&request);
    compression::accept_writes(&mut request);
    let response = compression::refuse(next.run(request).await);
    known.check(response)
}

/// `Cache-Control` and what compression has to know of the request; within them its host and size, before anything reads
/// it.
async fn bound(State(bounds): State<Arc<(Policy, Bounds)>>, request: Request, next: Next) -> Response {
    let (policy, bounds) = &*bounds;
    let cache = policy.of_request(&request);
    let coding = Coding::of(&request);
    let mut response = match size::admit(bounds, request).await {
        Ok(request) => next.run(request).await,
        Err(refused) => refused,
    };
    coding.require(&mut response);
    cache.mark(&mut response);
    response
}
