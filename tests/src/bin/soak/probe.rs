//! Whether a service answers reads, all the time that it must.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::reads::Reads;
use crate::world::user_id;

/// How often it is asked.
const OFTEN: Duration = Duration::from_millis(100);
/// Every so many times, it is asked what it sends, too.
const SENDS_EVERY: u32 = 5;
/// How long a response may take: as long as the service lets it.
const ANSWER: Duration = Duration::from_secs(15);

/// Reads from a service beside everything else.
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
    /// Grows with each change that is announced: a response says nothing of what was before it.
    epoch: u64,
    seen: Seen,
    /// How many events it has sent of each team, and when it was seen that these were more than before.
    sends: BTreeMap<usize, (u64, Instant)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// It need not answer: it is down or paused, or its database is away.
    Away,
    /// It must be ready before long.
    Coming { since: Instant, within: Duration },
    /// It must answer.
    There,
}

/// What was seen of a service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The reads that it answered.
    pub(crate) reads: u64,
    /// How long the longest of them took.
    pub(crate) longest: Duration,
    offences: Vec<String>,
}

impl Probe {
    /// Watches one that need not answer yet. `users` are those whose data are asked for.
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
                    thread::sleep(OFTEN);
                }
            })
        };
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// From now on, it need not answer.
    pub(crate) fn away(&self) {
        self.shared.turn(Stage::Away);
    }

    /// It must be ready within a time, and answer from then on.
    pub(crate) fn coming(&self, within: Duration) {
        let since = Instant::now();
        self.shared.turn(Stage::Coming { since, within });
    }

    /// Returns whether it is ready, and must answer.
    pub(crate) fn is_there(&self) -> bool {
        self.shared.state().stage == Stage::There
    }

    /// When it was last seen to send events of a team.
    pub(crate) fn sent(&self, team: usize) -> Option<Instant> {
        self.shared.state().sends.get(&team).map(|(_, at)| *at)
    }

    /// What was seen until now, unless it is bad.
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

    /// Asks once, as it is due.
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
                // It was killed meanwhile, or paused, or its database was.
                if state.epoch != epoch {
                    return;
                }
                state.seen.reads += 1;
                state.seen.longest = state.seen.longest.max(took);
                match response {
                    Err(error) => state.seen.offences.push(format!("a read was not answered: {error:#}")),
                    Ok(_) if took > ANSWER => state.seen.offences.push(format!("a read took {took:.1?}")),
                    Ok(_) => {}
                }
            }
        }
    }

    /// Notes what it sends.
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
