//! State of a simulated provider: the data of one person, consents and faults.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use wearlab_kit_server::ApiError;

use super::faults::Faults;
use super::oauth::{Grant, Grants};

/// Simulated provider of one person, on data of the type `D`. `S` has the subscriptions to notices, if there are any. Clones
/// share their state.
pub struct Simulation<D, S = ()>(Arc<State<D, S>>);

struct State<D, S> {
    grants: Arc<Grants>,
    data: Mutex<D>,
    faults: Faults,
    subscriptions: S,
}

impl<D, S> Clone for Simulation<D, S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D, S> fmt::Debug for Simulation<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation").finish_non_exhaustive()
    }
}

impl<D, S: Default> Simulation<D, S> {
    /// Creates a simulation of the data of a person.
    pub fn new(data: D, grants: Grants) -> Self {
        Self(Arc::new(State {
            grants: Arc::new(grants),
            data: Mutex::new(data),
            faults: Faults::default(),
            subscriptions: S::default(),
        }))
    }
}

impl<D, S> Simulation<D, S> {
    /// Returns the subscriptions to notices.
    pub(crate) fn subscribed(&self) -> &S {
        &self.0.subscriptions
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
