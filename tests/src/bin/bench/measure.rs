//! Alternating measurements.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Measurements of two candidates, round by round.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Rounds {
    /// Measurements of Wearlab.
    pub(crate) ours: Vec<f64>,
    /// Measurements of the reference.
    pub(crate) reference: Vec<f64>,
}

impl Rounds {
    /// Returns the ratio of the medians.
    pub(crate) fn ratio(&self) -> f64 {
        median(&self.ours) / median(&self.reference)
    }

    /// Returns the lowest and the highest ratio of a round.
    pub(crate) fn spread(&self) -> (f64, f64) {
        let ratios = self
            .ours
            .iter()
            .zip(&self.reference)
            .map(|(ours, reference)| ours / reference);
        ratios.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ratio| {
            (low.min(ratio), high.max(ratio))
        })
    }
}

/// Measures Wearlab and the reference in turns, after a warm-up round. Each round starts with the one that came second.
pub(crate) fn alternate(
    rounds: u32,
    mut ours: impl FnMut() -> Result<f64>,
    mut reference: impl FnMut() -> Result<f64>,
) -> Result<Rounds> {
    ours()?;
    reference()?;
    alternate_cold(rounds, ours, reference)
}

/// Measures Wearlab and the reference in turns without a warm-up, for long rounds.
pub(crate) fn alternate_cold(
    rounds: u32,
    mut ours: impl FnMut() -> Result<f64>,
    mut reference: impl FnMut() -> Result<f64>,
) -> Result<Rounds> {
    let mut found = Rounds::default();
    for round in 0..rounds {
        if round.is_multiple_of(2) {
            found.ours.push(ours()?);
            found.reference.push(reference()?);
        } else {
            found.reference.push(reference()?);
            found.ours.push(ours()?);
        }
    }
    Ok(found)
}

/// Measures several candidates in turns, after a warm-up round. Returns the numbers of each.
pub(crate) fn in_turns<T>(
    rounds: u32,
    things: &mut [T],
    mut measure: impl FnMut(&mut T) -> Result<f64>,
) -> Result<Vec<Vec<f64>>> {
    let mut found = vec![Vec::new(); things.len()];
    for thing in &mut *things {
        measure(thing)?;
    }
    for _ in 0..rounds {
        for (thing, numbers) in things.iter_mut().zip(&mut found) {
            numbers.push(measure(thing)?);
        }
    }
    Ok(found)
}

/// Measures how often work can be done in a second, for about a span.
pub(crate) fn per_second(span: Duration, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let (started, mut count) = (Instant::now(), 0_u32);
    while started.elapsed() < span {
        work()?;
        count += 1;
    }
    Ok(f64::from(count) / started.elapsed().as_secs_f64())
}

/// Returns the median.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => f64::NAN,
        count if count.is_multiple_of(2) => f64::midpoint(numbers[middle - 1], numbers[middle]),
        _ => numbers[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::{Rounds, alternate, median};

    #[test]
    fn the_middle_is_between_the_two_of_an_even_count() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn ratios_are_of_medians_and_spreads_of_rounds() {
        let rounds = Rounds {
            ours: vec![1.0, 4.0, 9.0],
            reference: vec![2.0, 2.0, 3.0],
        };
        assert_eq!(rounds.ratio(), 2.0);
        assert_eq!(rounds.spread(), (0.5, 3.0));
    }

    #[test]
    fn nobody_is_first_twice() {
        let order = std::cell::RefCell::new(String::new());
        let note = |name: char| {
            order.borrow_mut().push(name);
            Ok(1.0)
        };
        alternate(3, || note('o'), || note('r')).expect("no failure");
        assert_eq!(order.into_inner(), "ororroor");
    }
}
