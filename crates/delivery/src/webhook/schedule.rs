//! Schedule of retries of a failed attempt.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const WAITS: [u64; 7] = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

/// Maximum difference between a pause and that of the table, so that events that failed together do not retry
/// together.
const JITTER: f64 = 0.2;

/// Returns the pause after a number of failed attempts: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, each a fifth shorter
/// or longer by `random` (0 to 1). `None`: park it.
pub fn schedule(failed: u32, random: f64) -> Option<Duration> {
    let index = failed.checked_sub(1)?;
    let wait = Duration::from_secs(*WAITS.get(usize::try_from(index).ok()?)?);
    let random = if random.is_finite() {
        random.clamp(0.0, 1.0)
    } else {
        0.5
    };
    Some(wait.mul_f64(1.0 + JITTER * (2.0 * random - 1.0)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::schedule;

    #[test]
    fn seven_waits_and_then_none() {
        let seconds: Vec<_> = (1..=8).map(|failed| schedule(failed, 0.5)).collect();
        let expected = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map(|seconds| Some(Duration::from_secs(seconds)));
        assert_eq!(seconds[..7], expected);
        assert_eq!(seconds[7], None);
        assert_eq!(schedule(0, 0.5), None, "nothing failed, nothing to wait for");
        assert_eq!(schedule(u32::MAX, 0.5), None);
    }

    #[test]
    fn waits_are_a_fifth_shorter_or_longer() {
        assert_eq!(schedule(1, 0.0), Some(Duration::from_secs(4)));
        assert_eq!(schedule(1, 1.0), Some(Duration::from_secs(6)));
        assert_eq!(schedule(1, -7.0), schedule(1, 0.0));
        assert_eq!(schedule(1, f64::NAN), schedule(1, 0.5));
    }
}
