//! State of a simulation.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::data::Data;
use crate::simulated::faults::Faults;
use crate::simulated::oauth::Grants;

/// Lifetime of a code.
const CODE_LIFETIME: Duration = Duration::from_secs(30);

/// Simulated Withings of one person. Clones share their state.
#[derive(Clone)]
pub struct Simulation(Arc<State>);

struct State {
    grants: Arc<Grants>,
    data: Mutex<Data>,
    faults: Faults,
    errors: Mutex<VecDeque<(i64, &'static str)>>,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").finish_non_exhaustive()
    }
}

impl Simulation {
    /// Creates a simulation of the data of a person.
    pub fn new(data: Data, grants: Grants) -> Self {
        Self(Arc::new(State {
            grants: Arc::new(grants.code_lifetime(CODE_LIFETIME)),
            data: Mutex::new(data),
            faults: Faults::default(),
            errors: Mutex::default(),
        }))
    }

    /// Returns the consents, whose tokens the API accepts.
    pub fn grants(&self) -> &Arc<Grants> {
        &self.0.grants
    }

    /// Reads or changes the data: a correction, a deletion, or late data.
    pub fn with_data<T>(&self, change: impl FnOnce(&mut Data) -> T) -> T {
        change(&mut lock(&self.0.data))
    }

    /// Returns the faults of requests.
    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }

    /// Lets the next request get a status and its text, in a response of HTTP 200.
    pub fn push_error(&self, status: i64, text: &'static str) {
        lock(&self.0.errors).push_back((status, text));
    }

    /// Returns the status of the next request, if it has one.
    pub(super) fn next_error(&self) -> Option<(i64, &'static str)> {
        lock(&self.0.errors).pop_front()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
