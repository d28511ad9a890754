//! A connection to a server.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, HeaderMap, Request, RequestErrorKind, ServerAddr, Statistics};
use bytes::Bytes;
use tokio::sync::watch;

use super::{fault, runtime};
use crate::Reason;

/// Bytes that a server may send from the start of one call to that of the next. The client limits neither lines nor the
/// sizes that a server declares, and acknowledgements are short.
const MAX_READ: u64 = 8 << 20;
/// Interval at which the bytes are compared with the limit.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Subjects that may be denied in one call, which is more than the messages of one.
const MAX_DENIED: usize = 1024;

/// A connection to a server. It ends at the first fault, or when this is dropped.
pub(super) struct Link {
    /// Others have it weakly, so that the client is dropped with this.
    state: Arc<watch::Sender<State>>,
    statistics: Arc<Statistics>,
    /// Bytes that had been read when the last call began.
    read_before: Arc<AtomicU64>,
}

/// State of a connection.
enum State {
    /// The client is not there yet.
    Connecting,
    /// The connection ends when the last handle of the client is dropped.
    Connected {
        client: Client,
        /// Subjects that the user may not publish to, as the server quotes them.
        denied: HashSet<String>,
    },
    /// The first fault.
    Failed(Reason),
}

/// Result of a publication.
pub(super) enum Published {
    /// The response of whoever listens to the subject.
    Response(Bytes),
    /// Nobody listens to the subject.
    NoResponders,
    /// The user may not publish to the subject.
    Denied,
    /// It is larger than this, which is the most that the server takes.
    TooLarge(usize),
    /// The connection failed.
    Broken(Reason),
    /// No response in time.
    Silence,
}

impl Link {
    /// Connects to a server. `limit` is the time that an error names.
    pub(super) async fn connect(
        url: ServerAddr,
        options: ConnectOptions,
        limit: Duration,
    ) -> Result<Self, fault::Failure> {
        let state = Arc::new(watch::channel(State::Connecting).0);
        let noted = Arc::downgrade(&state);
        let is_first = AtomicBool::new(true);
        let options = options
            // No setting keeps the client from connecting again, and its task may not notice that it is dropped. Its
            // panic ends the task alone, without a message.
            .reconnect_delay_callback(move |_| match is_first.swap(false, Ordering::Relaxed) {
                true => Duration::ZERO,
                false => resume_unwind(Box::new("the connection broke")),
            })
            .event_callback(move |event| {
                note(&noted, &event);
                std::future::ready(())
            });
        let client = runtime::run(options.connect(url)).await?;
        let client = client.map_err(|error| fault::connecting(&error, limit))?;
        let statistics = client.statistics();
        let read_before = Arc::new(AtomicU64::new(0));
        let watched = (
            Arc::downgrade(&state),
            Arc::clone(&statistics),
            Arc::clone(&read_before),
        );
        runtime::spawn(limit_reads(watched.0, watched.1, watched.2))?;
        state.send_if_modified(|state| {
            if let State::Connecting = state {
                let denied = HashSet::new();
                *state = State::Connected { client, denied };
            }
            true
        });
        Ok(Self {
            state,
            statistics,
            read_before,
        })
    }

    /// Begins a call: what an earlier one read or was denied does not count any more.
    pub(super) fn begin_call(&self) {
        let read = self.statistics.in_bytes.load(Ordering::Relaxed);
        self.read_before.store(read, Ordering::Relaxed);
        self.state.send_if_modified(|state| {
            if let State::Connected { denied, .. } = state {
                denied.clear();
            }
            false
        });
    }

    /// Returns true unless a fault has been noticed.
    pub(super) fn is_active(&self) -> bool {
        matches!(*self.state.borrow(), State::Connected { .. })
    }

    /// Publishes a message, and waits for the response.
    pub(super) async fn publish(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: Bytes,
        limit: Duration,
    ) -> Published {
        let mut states = self.state.subscribe();
        let client = match &*states.borrow() {
            State::Connected { client, .. } => client.clone(),
            State::Failed(reason) => return Published::Broken(reason.clone()),
            State::Connecting => return Published::Broken(fault::broken()),
        };
        let quoted = format!("{subject:?}");
        let request = Request::new().headers(headers).payload(payload).timeout(Some(limit));
        tokio::select! {
            biased;
            response = client.send_request(subject, request) => match response {
                Ok(message) => Published::Response(message.payload),
                Err(error) => match error.kind() {
                    RequestErrorKind::NoResponders => Published::NoResponders,
                    RequestErrorKind::TimedOut => Published::Silence,
                    RequestErrorKind::MaxPayloadExceeded => Published::TooLarge(client.max_payload()),
                    _ => Published::Broken(fault::broken()),
                },
            },
            published = denied_or_failed(&mut states, &quoted) => published,
        }
    }
}

/// Waits until a subject is denied, or the connection fails.
async fn denied_or_failed(states: &mut watch::Receiver<State>, quoted: &str) -> Published {
    let ends = |state: &State| match state {
        State::Connecting => false,
        State::Connected { denied, .. } => denied.contains(quoted),
        State::Failed(_) => true,
    };
    match states.wait_for(ends).await.as_deref() {
        Ok(State::Connected { .. }) => Published::Denied,
        Ok(State::Failed(reason)) => Published::Broken(reason.clone()),
        _ => Published::Broken(fault::broken()),
    }
}

/// Notes a fault of the connection, or of one subject.
fn note(state: &Weak<watch::Sender<State>>, event: &Event) {
    let Some(state) = state.upgrade() else { return };
    if let Some(subject) = fault::denied_subject(event) {
        state.send_if_modified(|state| match state {
            State::Connected { denied, .. } if denied.len() < MAX_DENIED => denied.insert(subject.to_owned()),
            _ => false,
        });
    } else if let Some(reason) = fault::of_event(event) {
        fail(&state, reason);
    }
}

/// Ends the connection, unless it has ended: the state has the last handle of the client.
fn fail(state: &watch::Sender<State>, reason: Reason) {
    state.send_if_modified(|state| {
        let is_first = !matches!(state, State::Failed(_));
        if is_first {
            *state = State::Failed(reason);
        }
        is_first
    });
}

/// Ends the connection if the server sends too much.
async fn limit_reads(state: Weak<watch::Sender<State>>, statistics: Arc<Statistics>, read_before: Arc<AtomicU64>) {
    let mut ticks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        ticks.tick().await;
        let read = statistics.in_bytes.load(Ordering::Relaxed);
        let is_over = read.saturating_sub(read_before.load(Ordering::Relaxed)) > MAX_READ;
        match state.upgrade() {
            Some(state) if is_over => return fail(&state, fault::too_much()),
            Some(state) if !matches!(*state.borrow(), State::Failed(_)) => {}
            _ => return,
        }
    }
}
