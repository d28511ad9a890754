//! Table of a listener's open connections, which closes idle ones for new ones above the limit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::metrics::{Counted, Metrics};
use super::timeouts::ConnectionTimeouts;
use super::warning::Warning;
use crate::settings::Timeouts;

/// Number of connections above the limit that a listener with probes accepts, for probes alone.
pub(crate) const RESERVE: usize = 16;

/// Idle time before an authenticated connection is closed for a new one: after less, a request may be on its way.
const GRACE: Duration = Duration::from_secs(1);

/// Idle time before a connection without a response is closed: its first request or its TLS handshake may be on the
/// way. A silent caller holds a connection no longer than this while others wait. Anonymous connections have no grace:
/// a caller without a key could hold every connection with a probe a second on each.
const NEW_GRACE: Duration = Duration::from_millis(250);

/// Interval of checks for an idle connection while a new one waits: nothing notifies when one becomes idle.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Open connections of one listener.
pub(super) struct OpenConnections {
    limit: usize,
    reserve: usize,
    timeouts: Timeouts,
    metrics: Arc<Metrics>,
    tables: Mutex<Tables>,
    released: Notify,
    full: Warning,
}

#[derive(Default)]
struct Tables {
    next: u64,
    regular: HashMap<u64, Arc<Connection>>,
    reserve: HashMap<u64, Arc<Connection>>,
}

/// State that a connection's task and the table share.
struct Connection {
    timeouts: Arc<ConnectionTimeouts>,
    responded: AtomicBool,
    authenticated: AtomicBool,
    cut: Notify,
}

/// Rank of a connection, from the requests on it. The lowest is closed first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Connection with responses, none to a request with a valid credential.
    Anonymous,
    /// Connection without a response.
    New,
    /// Connection with a request that had a valid credential.
    Authenticated,
}

impl Connection {
    fn rank(&self) -> Rank {
        if self.authenticated.load(Ordering::Relaxed) {
            Rank::Authenticated
        } else if self.responded.load(Ordering::Relaxed) {
            Rank::Anonymous
        } else {
            Rank::New
        }
    }
}

/// Connection of a request, in its extensions.
#[derive(Clone)]
pub(super) struct OfConnection(Arc<Connection>);

impl OfConnection {
    /// Marks the connection: a request on it had a valid credential.
    pub(super) fn authenticated(&self) {
        self.0.authenticated.store(true, Ordering::Relaxed);
    }
}

/// Accepted connection, which counts as open until this is dropped.
pub(super) struct Admitted {
    /// True if it is above the limit, so that only probes are served.
    pub(super) reserve: bool,
    connection: Arc<Connection>,
    number: u64,
    all: Arc<OpenConnections>,
    _counted: Counted,
}

impl Admitted {
    pub(super) fn timeouts(&self) -> &Arc<ConnectionTimeouts> {
        &self.connection.timeouts
    }

    /// Returns the connection, for the extensions of its requests.
    pub(super) fn connection(&self) -> OfConnection {
        OfConnection(self.connection.clone())
    }

    /// Marks the connection: a request on it has its response.
    pub(super) fn responded(&self) {
        self.connection.responded.store(true, Ordering::Relaxed);
        self.connection.timeouts.idle();
    }

    /// Completes once the connection has to close for another one.
    pub(super) async fn cut(&self) {
        self.connection.cut.notified().await;
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut tables = self.all.lock();
        tables.regular.remove(&self.number);
        tables.reserve.remove(&self.number);
        drop(tables);
        self.all.released.notify_one();
    }
}

impl OpenConnections {
    pub(super) fn new(limit: usize, reserve: usize, timeouts: Timeouts, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            reserve,
            timeouts,
            metrics,
            tables: Mutex::default(),
            released: Notify::new(),
            full: Warning::default(),
        })
    }

    /// Admits a connection once there is room for it.
    pub(super) async fn admit(self: &Arc<Self>) -> Admitted {
        // Authenticated connections are spared until the others had time to become idle.
        let began = Instant::now();
        let mut closable = Rank::New;
        loop {
            if let Some(admitted) = self.try_admit(closable) {
                return admitted;
            }
            let released = tokio::time::timeout(POLL_INTERVAL, self.released.notified()).await;
            if released.is_err() && (began.elapsed() > NEW_GRACE || self.all_authenticated()) {
                closable = Rank::Authenticated;
            }
        }
    }

    fn try_admit(self: &Arc<Self>, closable: Rank) -> Option<Admitted> {
        let mut tables = self.lock();
        let Tables { next, regular, reserve } = &mut *tables;
        let mut full = regular.len() >= self.limit;
        if full {
            self.full.say(Instant::now(), |times| {
                tracing::warn!(
                    connections = self.limit,
                    times,
                    "all connections are in use: the longest idle is closed for a new one, and while none is idle, no more are \
                     served (http.limits.connections)"
                );
            });
            full = !self.close_longest_idle(regular, closable);
            if full && closable < Rank::Authenticated {
                return None;
            }
        }
        let table = match full {
            false => regular,
            true if reserve.len() < self.reserve || self.close_longest_idle(reserve, closable) => reserve,
            true => return None,
        };
        let number = *next;
        *next += 1;
        let connection = Arc::new(Connection {
            timeouts: Arc::new(ConnectionTimeouts::new(&self.timeouts)),
            responded: AtomicBool::new(false),
            authenticated: AtomicBool::new(false),
            cut: Notify::new(),
        });
        table.insert(number, connection.clone());
        Some(Admitted {
            reserve: full,
            connection,
            number,
            all: self.clone(),
            _counted: self.metrics.connection(),
        })
    }

    /// Closes the connection of the lowest rank that is idle for the longest time, if there is one. Ranks above
    /// `closable` are spared.
    fn close_longest_idle(&self, table: &mut HashMap<u64, Arc<Connection>>, closable: Rank) -> bool {
        let now = Instant::now();
        let idle = table.iter().filter_map(|(number, connection)| {
            let since = connection.timeouts.idle_since()?;
            let rank = connection.rank();
            let grace = match rank {
                Rank::Anonymous => Duration::ZERO,
                Rank::New => NEW_GRACE,
                Rank::Authenticated => GRACE,
            };
            let idle = now.saturating_duration_since(since) >= grace;
            (idle && rank <= closable).then_some((rank, since, *number))
        });
        let Some((_, since, number)) = idle.min() else {
            return false;
        };
        // A request may have arrived since.
        let Some(connection) = table.get(&number).filter(|found| found.timeouts.close_if_idle(since)) else {
            return false;
        };
        connection.cut.notify_one();
        table.remove(&number);
        self.metrics.recycled_connection();
        true
    }

    /// Closes an idle connection if the system has no more open files.
    pub(super) fn close_one(&self) -> bool {
        self.close_longest_idle(&mut self.lock().regular, Rank::Authenticated)
    }

    fn all_authenticated(&self) -> bool {
        let tables = self.lock();
        let mut connections = tables.regular.values();
        connections.all(|connection| connection.rank() == Rank::Authenticated)
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
