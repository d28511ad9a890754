//! Simulation of one person, with statuses in responses of HTTP 200.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::data::Data;
use crate::simulated::deviations::Deviations;
use crate::simulated::oauth::Grants;

/// Lifetime of a code.
const CODE_LIFETIME: Duration = Duration::from_secs(30);

/// Returns an empty list of consents, whose codes are good for 30 seconds.
pub fn grants(client_id: &str, client_secret: &str, token_seconds: u32) -> Grants {
    Grants::new(client_id, client_secret, token_seconds).with_deviations(Deviations {
        code_lifetime: Some(CODE_LIFETIME),
        ..Deviations::default()
    })
}

/// Simulated Withings of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data, Errors>;

/// Statuses of the next requests, with their texts.
#[derive(Debug, Default)]
pub struct Errors(Mutex<VecDeque<(i64, &'static str)>>);

impl Errors {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(i64, &'static str)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Simulation {
    /// Lets the next request get a status and its text, in a response of HTTP 200.
    pub fn push_error(&self, status: i64, text: &'static str) {
        self.extra().lock().push_back((status, text));
    }

    /// Returns the status of the next request, if it has one.
    pub(super) fn next_error(&self) -> Option<(i64, &'static str)> {
        self.extra().lock().pop_front()
    }
}
