//! How long to wait before something is tried again.

use std::time::Duration;

/// No pause is longer.
const LONGEST: Duration = Duration::from_secs(300);

/// The pause after so many failures in a row: twice as long each time, up to five minutes, and less by up to a half, so
/// that those that failed together do not come back together.
pub(super) fn pause(first: Duration, failures: u32, random: f64) -> Duration {
    let doubled = first.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
    doubled.min(LONGEST).mul_f64(1.0 - random.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::pause;

    #[test]
    fn pauses_grow_to_a_bound_and_differ() {
        let second = Duration::from_secs(1);
        let seconds = |failures, random| pause(second, failures, random).as_secs_f64();
        assert_eq!(
            [1, 2, 3, 4].map(|failures| seconds(failures, 0.0)),
            [1.0, 2.0, 4.0, 8.0]
        );
        assert_eq!([0.0, 0.5, 1.0].map(|random| seconds(3, random)), [4.0, 3.0, 2.0]);
        assert_eq!(seconds(u32::MAX, 0.0), 300.0);
        assert_eq!(seconds(0, 0.0), 1.0);
    }
}
