//! Exponential backoff with jitter.

use std::time::Duration;

/// The pause after a number of failures in a row: `first`, twice as long each time, up to `longest`, less by up to a
/// half by `random` (0 to 1), so that destinations that failed together do not retry together.
pub fn backoff(first: Duration, longest: Duration, failures: u32, random: f64) -> Duration {
    let doubled = first.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
    doubled.min(longest).mul_f64(1.0 - random.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::backoff;

    #[test]
    fn pauses_grow_to_a_bound_and_differ() {
        let (second, longest) = (Duration::from_secs(1), Duration::from_secs(300));
        let seconds = |failures, random| backoff(second, longest, failures, random).as_secs_f64();
        assert_eq!(
            [1, 2, 3, 4].map(|failures| seconds(failures, 0.0)),
            [1.0, 2.0, 4.0, 8.0]
        );
        assert_eq!([0.0, 0.5, 1.0].map(|random| seconds(3, random)), [4.0, 3.0, 2.0]);
        assert_eq!(seconds(u32::MAX, 0.0), 300.0);
        assert_eq!(seconds(0, 0.0), 1.0);
    }
}
