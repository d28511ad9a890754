//! Availability probe of a service.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::reads::Reads;
use crate::world::user_id;

/// Interval of reads.
const INTERVAL: Duration = Duration::from_millis(100);
/// Number of reads between two reads of the delivery metrics.
const SENDS_EVERY: u32 = 5;
/// Time limit of a response, equal to the service's own limit.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// Thread that reads from a service throughout the run.
pub(crate) struct Probe {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    end: AtomicBool,
    state: Mutex<State>,
}

struct State {
    stage: Stage,
    /// Number of announced changes. A response to an earlier request is ignored.
    epoch: u64,
    seen: Seen,
    /// Number of events sent of each team, and the time of the last increase.
    sends: BTreeMap<usize, (u64, Instant)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// The service need not respond: it is down or paused, or its database is unavailable.
    Away,
    /// The service must become ready in time.
    Coming { since: Instant, within: Duration },
    /// The service must respond.
    There,
}

/// Observations of a service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Number of successful reads.
    pub(crate) reads: u64,
    /// Longest latency of a read.
    pub(crate) longest: Duration,
    offences: Vec<String>,
}

impl Probe {
    /// Starts to probe a service that need not respond yet. `users` are the users to read.
    pub(crate) fn start(url: String, users: Vec<usize>) -> Result<Self> {
        let state = State {
            stage: Stage::Away,
            epoch: 0,
            seen: Seen::default(),
            sends: BTreeMap::new(),
        };
        let shared = Arc::new(Shared {
            end: AtomicBool::new(false),
            state: Mutex::new(state),
        });
        let thread = {
            let (shared, reads) = (Arc::clone(&shared), Reads::new(url)?);
            thread::spawn(move || {
                for (number, user) in (0_u32..).zip(users.iter().cycle()) {
                    if shared.end.load(Ordering::Relaxed) {
                        break;
                    }
                    shared.look(&reads, *user);
                    if number.is_multiple_of(SENDS_EVERY) {
                        shared.count(&reads);
                    }
                    thread::sleep(INTERVAL);
                }
            })
        };
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Sets that the service need not respond.
    pub(crate) fn away(&self) {
        self.shared.turn(Stage::Away);
    }

    /// Sets that the service must become ready in time, and respond from then on.
    pub(crate) fn coming(&self, within: Duration) {
        let since = Instant::now();
        self.shared.turn(Stage::Coming { since, within });
    }

    /// Returns whether the service is ready, and must respond.
    pub(crate) fn is_there(&self) -> bool {
        self.shared.state().stage == Stage::There
    }

    /// Returns the time at which it was last seen to send events of a team.
    pub(crate) fn sent(&self, team: usize) -> Option<Instant> {
        self.shared.state().sends.get(&team).map(|(_, at)| *at)
    }

    /// Returns the observations. Fails if there are errors.
    pub(crate) fn seen(&self) -> Result<Seen> {
        let seen = self.shared.state().seen.clone();
        ensure!(seen.offences.is_empty(), "{}", seen.offences.join("; "));
        Ok(seen)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self, stage: Stage) {
        let mut state = self.state();
        state.stage = stage;
        state.epoch += 1;
    }

    /// Sends one request, according to the stage.
    fn look(&self, reads: &Reads, user: usize) {
        let (stage, epoch) = {
            let state = self.state();
            (state.stage, state.epoch)
        };
        let asked = Instant::now();
        match stage {
            Stage::Away => {}
            Stage::Coming { since, within } => {
                let ready = reads.status("/readyz", "").is_ok_and(|status| status == 200);
                let mut state = self.state();
                if state.epoch != epoch {
                } else if ready {
                    state.stage = Stage::There;
                } else if since.elapsed() > within {
                    state.seen.offences.push(format!("it was not ready within {within:?}"));
                    state.stage = Stage::Away;
                }
            }
            Stage::There => {
                let response = reads.get(crate::world::team_of(user), &format!("/v2/user/{}", user_id(user)));
                let took = asked.elapsed();
                let mut state = self.state();
                // The service or its database was killed or paused meanwhile.
                if state.epoch != epoch {
                    return;
                }
                state.seen.reads += 1;
                state.seen.longest = state.seen.longest.max(took);
                match response {
                    Err(error) => state.seen.offences.push(format!("a read was not answered: {error:#}")),
                    Ok(_) if took > RESPONSE_TIMEOUT => state.seen.offences.push(format!("a read took {took:.1?}")),
                    Ok(_) => {}
                }
            }
        }
    }

    /// Reads the delivery metrics.
    fn count(&self, reads: &Reads) {
        if self.state().stage != Stage::There {
            return;
        }
        for (team, count) in reads.attempts().unwrap_or_default() {
            let mut state = self.state();
            if state.sends.get(&team).is_none_or(|(before, _)| *before != count) {
                state.sends.insert(team, (count, Instant::now()));
            }
        }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.shared.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
