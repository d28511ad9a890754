//! Deadlines and pauses.

use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
use tokio::time::Instant;

/// Deadline of a call.
pub(crate) struct Deadline {
    whole: Option<Duration>,
    #[cfg(not(target_family = "wasm"))]
    begun: Instant,
}

impl Deadline {
    /// Begins now.
    pub(crate) fn after(whole: Option<Duration>) -> Self {
        Self {
            whole,
            #[cfg(not(target_family = "wasm"))]
            begun: Instant::now(),
        }
    }

    /// Returns the time that is left; none without a deadline.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn left(&self) -> Option<Duration> {
        self.whole.map(|whole| whole.saturating_sub(self.begun.elapsed()))
    }

    /// Returns the whole time: there is no clock, and no second attempt.
    #[cfg(target_family = "wasm")]
    pub(crate) fn left(&self) -> Option<Duration> {
        self.whole
    }

    /// Returns a pause. None if the time is too short for it.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn pause(&self, pause: Duration) -> Option<tokio::time::Sleep> {
        let short = self.left().is_some_and(|left| pause >= left);
        (!short).then(|| tokio::time::sleep(pause))
    }

    /// Returns None: there is no timer.
    #[cfg(target_family = "wasm")]
    pub(crate) fn pause(&self, _: Duration) -> Option<std::future::Ready<()>> {
        None
    }
}
