//! State of a simulation.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::data::Data;
use crate::simulated::faults::Faults;
use crate::simulated::oauth::Grants;

/// Simulated Google Health of one person. Clones share their state.
#[derive(Clone)]
pub struct Simulation(Arc<Parts>);

struct Parts {
    grants: Arc<Grants>,
    data: Mutex<Data>,
    faults: Faults,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").finish_non_exhaustive()
    }
}

impl Simulation {
    /// Creates a simulation of the points of a person. A refresh gives no new refresh token.
    pub fn new(data: Data, grants: Grants) -> Self {
        Self(Arc::new(Parts {
            grants: Arc::new(grants.keep_refresh_tokens()),
            data: Mutex::new(data),
            faults: Faults::default(),
        }))
    }

    /// Returns the consents, whose tokens the API accepts.
    pub fn grants(&self) -> &Arc<Grants> {
        &self.0.grants
    }

    /// Reads or changes the points: a correction, a deletion, or late data.
    pub fn with_data<T>(&self, change: impl FnOnce(&mut Data) -> T) -> T {
        change(&mut self.0.data.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the faults of requests.
    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }
}
