//! The runtime of all connections to NATS, without logs.
//!
//! The client spawns its tasks by itself, and logs errors of servers, which may quote what was sent. A panic of it, as of a
//! server that sends what no server sends, ends the task alone.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};
use tracing::Dispatch;
use tracing::dispatcher::set_default;

use crate::Reason;

static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();

/// Runs a future on the runtime. It is aborted when this is dropped.
pub(super) async fn run<F>(future: F) -> Result<F::Output, Reason>
where
    F: Future<Output: Send> + Send + 'static,
{
    let runtime = RUNTIME.get_or_init(start).as_ref();
    let runtime = runtime.ok_or_else(|| Reason::new("no connection to the server: no thread can be started for it"))?;
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn_on(future, runtime.handle());
    match tasks.join_next().await {
        Some(Ok(output)) => Ok(output),
        _ => Err(Reason::new(
            "the peer does not speak NATS: fix the host and port in nats.url",
        )),
    }
}

fn start() -> Option<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(1)
        .thread_name("nats")
        .enable_all()
        // The threads end with the process, so the guards are never dropped.
        .on_thread_start(|| std::mem::forget(set_default(&Dispatch::none())));
    builder.build().ok()
}
