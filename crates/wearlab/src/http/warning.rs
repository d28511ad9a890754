//! A warning that does not flood the log.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How often it is said.
const EVERY: Duration = Duration::from_secs(60);

/// Something that happens often under load, and is said once a minute.
#[derive(Default)]
pub(super) struct Warning(Mutex<State>);

#[derive(Default)]
struct State {
    last: Option<Instant>,
    times: u64,
}

impl Warning {
    /// Says it, with how many times it happened since it was said last, unless that was a moment ago.
    pub(super) fn say(&self, now: Instant, warn: impl FnOnce(u64)) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.last.is_some_and(|last| now < last + EVERY) {
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

    use super::{EVERY, Warning};

    #[test]
    fn it_is_said_at_once_and_then_once_a_minute_with_how_often() {
        let (warning, mut warned) = (Warning::default(), Vec::new());
        let now = Instant::now();
        for _ in 0..3 {
            warning.say(now, |times| warned.push(times));
        }
        warning.say(now + EVERY, |times| warned.push(times));
        assert_eq!(warned, [1, 3]);
    }
}
