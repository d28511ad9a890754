//! What surrounds the operations: one habit a file. This one puts them in order.

mod cache;
mod compression;
mod connections;
mod cors;
mod deliveries;
mod faults;
mod load;
mod metrics;
mod patience;
mod probes;
mod rate;
mod setup;
mod size;
mod tls;

use std::sync::Arc;

use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use tower::util::option_layer;
use wearlab_server::layers::{
    Share, answer_conditionally, catch_panics, complete_answers, refuse_unacceptable, with_back_end,
};

pub(crate) use self::connections::Door;
pub(crate) use self::faults::make_faults;
pub(crate) use self::probes::{Stage, routes as probes};
pub(crate) use self::rate::{Caller, RateLimiter};
pub(crate) use self::setup::Setup;

pub use self::probes::Backend;
pub use self::setup::InvalidSetting;

/// Routes of the interface with the bounds that each request to them has.
///
/// Outermost first: a request that is too many costs nothing further; the time-out holds for what does the work; 406
/// looks at the answer as the operation gave it, and is nothing that probes should meet; a panic is caught nearest to
/// where it happens, so that it gives back its place among the requests in flight.
pub(crate) fn bounded<A: Backend>(routes: Router<Arc<A>>, setup: &Setup) -> Router<Arc<A>> {
    routes.layer((
        from_fn_with_state(setup.places.clone(), load::shed),
        Share,
        from_fn_with_state(setup.settings.timeouts.handler, load::end_in_time),
        Share,
        from_fn(refuse_unacceptable),
        Share,
        from_fn(catch_panics),
        Share,
        Extension(setup.prefix.clone()),
    ))
}

/// Gives routes their back end and what every request and every answer has, also where nothing is there.
///
/// Outermost first:
/// 1. request ids, log and problem documents: whatever is answered further in needs them;
/// 2. metrics, which count what the caller sees;
/// 3. CORS, above the limits: a page can read why it was refused, and a browser asks for permission without a key;
/// 4. entity tags and 304, outside compression: a compressed answer has its own tag, and a 304 compresses nothing;
/// 5. compression;
/// 6. `Cache-Control`, which looks at the answer as the operation gave it;
/// 7. the size of the request, before anything reads it.
pub(crate) fn surrounded<A: Backend>(routes: Router<Arc<A>>, api: Arc<A>, setup: &Setup) -> Router {
    let settings = &setup.settings;
    with_back_end(routes, api).layer((
        from_fn(complete_answers),
        Share,
        from_fn_with_state(setup.metrics.clone(), metrics::count),
        Share,
        option_layer(setup.cors.clone()),
        from_fn(answer_conditionally),
        Share,
        compression::layer(),
        from_fn_with_state(cache::Policy::of(settings), cache::say),
        Share,
        from_fn_with_state(size::Bounds::of(settings), size::refuse),
        Share,
    ))
}
