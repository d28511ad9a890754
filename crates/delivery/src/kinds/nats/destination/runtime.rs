//! The runtime of all connections to NATS, without logs.
//!
//! The client spawns its tasks by itself, and logs errors of servers, which may quote what was sent. A panic of it, as of a
//! server that sends what no server sends, ends the task alone.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use tokio::runtime::{Builder, Handle, Runtime};
use tracing::Dispatch;
use tracing::dispatcher::set_default;

use super::fault;
use crate::Reason;

/// Polls of a future that connects. Servers need less than ten. Each may read as much as the system has buffered: while
/// it connects, the client has no limit, and does not tell how much it has read.
const MAX_POLLS: usize = 32;

static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

/// Runs a future that connects on the runtime. It is aborted when this is dropped.
pub(super) async fn run<F>(future: F) -> Result<F::Output, Reason>
where
    F: Future<Output: Send> + Send + 'static,
{
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn_on(limit_polls(future), &handle()?);
    match tasks.join_next().await {
        Some(Ok(Some(output))) => Ok(output),
        _ => Err(fault::no_nats()),
    }
}

/// Spawns a task on the runtime.
pub(super) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> Result<(), Reason> {
    handle()?.spawn(future);
    Ok(())
}

async fn limit_polls<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut polls = 0;
    poll_fn(|cx| {
        polls += 1;
        match polls > MAX_POLLS {
            true => Poll::Ready(None),
            false => future.as_mut().poll(cx).map(Some),
        }
    })
    .await
}

/// Returns the runtime, which the first call starts.
fn handle() -> Result<Handle, Reason> {
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*runtime {
        return Ok(runtime.handle().clone());
    }
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(1)
        .thread_name("nats")
        .enable_all()
        // The threads end with the process, so the guards are never dropped.
        .on_thread_start(|| std::mem::forget(set_default(&Dispatch::none())));
    let started = builder.build();
    let started = started.map_err(|error| Reason::cause("the runtime of NATS cannot be started", &error))?;
    Ok(runtime.insert(started).handle().clone())
}
