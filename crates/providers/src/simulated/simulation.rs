//! State of a simulated provider: the data of one person, consents and faults.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use wearlab_kit_server::ApiError;

use super::faults::Faults;
use super::oauth::{Grant, Grants};

/// Simulated provider of one person, on data of the type `D`. `E` is further state of the provider,
/// such as its subscriptions. Clones share their state.
pub struct Simulation<D, E = ()>(Arc<State<D, E>>);

struct State<D, E> {
    grants: Arc<Grants>,
    data: Mutex<D>,
    faults: Faults,
    extra: E,
}

impl<D, E> Clone for Simulation<D, E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D, E> fmt::Debug for Simulation<D, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").finish_non_exhaustive()
    }
}

impl<D, E: Default> Simulation<D, E> {
    /// Creates a simulation of the data of a person.
    pub fn new(data: D, grants: Grants) -> Self {
        Self(Arc::new(State {
            grants: Arc::new(grants),
            data: Mutex::new(data),
            faults: Faults::default(),
            extra: E::default(),
        }))
    }
}

impl<D, E> Simulation<D, E> {
    /// Returns the further state.
    pub(crate) fn extra(&self) -> &E {
        &self.0.extra
    }

    /// Returns the consents, whose tokens the API accepts.
    pub fn grants(&self) -> &Arc<Grants> {
        &self.0.grants
    }

    /// Reads or changes the data: a correction, a deletion, or late data.
    pub fn with_data<T>(&self, change: impl FnOnce(&mut D) -> T) -> T {
        change(&mut self.0.data.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the faults of requests.
    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }

    /// Returns the grant of an access token.
    ///
    /// # Errors
    ///
    /// 401 if it is not valid.
    pub fn authenticate(&self, access_token: &str) -> Result<Grant, ApiError> {
        let grant = self.0.grants.check(access_token);
        grant.ok_or_else(|| ApiError::unauthorized("the access token has ended, or was never valid"))
    }
}
