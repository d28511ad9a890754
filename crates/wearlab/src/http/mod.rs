//! What surrounds the operations: one habit a file. This one puts them in order.

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
mod timeouts;
mod tls;
mod warning;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::{Extension, Router};
use tokio::sync::Semaphore;
use tower::util::option_layer;
use wearlab_server::layers::{
    Share, answer_conditionally, catch_panics, complete_answers, refuse_unacceptable, with_back_end,
};

use self::cache::Policy;
pub(crate) use self::connections::Door;
pub(crate) use self::faults::make_faults;
use self::metrics::Metrics;
pub(crate) use self::open_files::allow as allow_open_files;
pub(crate) use self::probes::{Stage, routes as probes};
pub(crate) use self::rate::RateLimiter;
pub(crate) use self::setup::{Setup, check, check_certificate};
use self::size::Bounds;

pub use self::probes::Backend;
pub use self::setup::InvalidSetting;

/// Routes of the interface with the bounds that each request to them has.
pub(crate) fn bounded<A: Backend>(routes: Router<Arc<A>>, setup: &Setup) -> Router<Arc<A>> {
    let bounds = (setup.places.clone(), setup.settings.timeouts.handler);
    routes.layer((
        from_fn_with_state(bounds, bound),
        Share,
        Extension(setup.prefix.clone()),
    ))
}

/// Outermost first, which is last here: a request that is too many costs nothing further; the time-out holds for what does the work; 406 looks at the answer
/// as the operation gave it, and is nothing that probes should meet; a panic is caught nearest to where it happens, so
/// that it gives back its place among the requests in flight.
async fn bound(State((places, limit)): State<(Arc<Semaphore>, Duration)>, request: Request, next: Next) -> Response {
    let next = |request| catch_panics(request, next);
    let next = |request| authenticated::note(request, next);
    let next = |request| refuse_unacceptable(request, next);
    let next = |request| load::end_in_time(limit, request, next);
    load::shed(&places, request, next).await
}

/// Gives routes their back end and what every request and every answer has, also where nothing is there.
///
/// Outermost first:
/// 1. [`observe`]: whatever is answered further in needs it;
/// 2. CORS, above the limits: a page can read why it was refused, and a browser asks for permission without a key;
/// 3. entity tags and 304, outside compression: a compressed answer has its own tag, and a 304 compresses nothing; within
///    them 406 where no coding is acceptable;
/// 4. compression;
/// 5. [`limit`].
pub(crate) fn surrounded<A: Backend>(routes: Router<Arc<A>>, api: Arc<A>, setup: &Setup) -> Router {
    let settings = &setup.settings;
    let limits = Arc::new((cache::Policy::of(settings), size::Bounds::of(settings)));
    with_back_end(routes, api).layer((
        from_fn_with_state(setup.metrics.clone(), observe),
        Share,
        option_layer(setup.cors.clone()),
        from_fn(represent),
        Share,
        compression::layer(),
        from_fn_with_state(limits, limit),
        Share,
    ))
}

/// Request ids, log and problem documents; within them metrics, which count what the caller sees.
async fn observe(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let next = |request| metrics::count(&metrics, request, next);
    complete_answers(request, next).await
}

/// Entity tags and 304; within them 406, which has no tag.
async fn represent(request: Request, next: Next) -> Response {
    let next = |request| compression::refuse(request, next);
    answer_conditionally(request, next).await
}

/// `Cache-Control`, which looks at the answer as the operation gave it; within it what compression is to know of the
/// request, and its host and size, before anything reads it.
async fn limit(State(limits): State<Arc<(Policy, Bounds)>>, request: Request, next: Next) -> Response {
    let (policy, bounds) = &*limits;
    let next = |request| size::refuse(bounds, request, next);
    let next = |request| compression::require(request, next);
    cache::say(policy, request, next).await
}
