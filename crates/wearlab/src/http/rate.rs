//! How often each key may ask. Off unless it is configured.

use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use wearlab_server::ApiError;
use wearlab_store::{OrganisationId, TeamId};

use crate::config::http::RateLimit;

/// Whom a credential stands for. Credentials themselves are not kept, and unknown ones leave nothing behind, so there
/// are never more entries than callers that the store knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// By API key.
    Team(TeamId),
    /// By link token.
    Linking(TeamId),
    /// By management key.
    Organisation(OrganisationId),
}

/// Counts requests by caller.
pub(crate) struct RateLimiter {
    callers: DefaultKeyedRateLimiter<Caller>,
    clock: DefaultClock,
}

impl RateLimiter {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let quota = Quota::per_second(limit.per_second).allow_burst(limit.burst);
        Self {
            callers: DefaultKeyedRateLimiter::keyed(quota),
            clock: DefaultClock::default(),
        }
    }

    /// Counts one request.
    ///
    /// # Errors
    ///
    /// 429 where it is one too many, with the time to wait.
    pub(crate) fn count(&self, caller: &Caller) -> Result<(), ApiError> {
        self.callers.check_key(caller).map_err(|refused| {
            let wait: Duration = refused.wait_time_from(self.clock.now());
            ApiError::too_many_requests(wait)
        })
    }
}
