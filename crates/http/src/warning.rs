//! Rate-limited warning.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Interval of the warning.
const INTERVAL: Duration = Duration::from_secs(60);

/// Warning of something frequent under load, at most once a minute.
#[derive(Default)]
pub(super) struct Warning(Mutex<State>);

#[derive(Default)]
struct State {
    last: Option<Instant>,
    times: u64,
}

impl Warning {
    /// Logs the warning with the number of occurrences since the last one, unless the last one was less than a minute
    /// ago.
    pub(super) fn say(&self, now: Instant, warn: impl FnOnce(u64)) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.last.is_some_and(|last| now < last + INTERVAL) {
            return;
        }
        let times = std::mem::take(&mut state.times);
        state.last = Some(now);
        drop(state);
        warn(times);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::{INTERVAL, Warning};

    #[test]
    fn it_is_said_at_once_and_then_once_a_minute_with_how_often() {
        let (warning, mut warned) = (Warning::default(), Vec::new());
        let now = Instant::now();
        for _ in 0..3 {
            warning.say(now, |times| warned.push(times));
        }
        warning.say(now + INTERVAL, |times| warned.push(times));
        assert_eq!(warned, [1, 3]);
    }
}
