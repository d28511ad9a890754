//! Runs each fuzz target on some inputs. `tests/fuzz` runs them endlessly.

use std::collections::BTreeSet;

use wearlab_tests::coverage::schemas;
use wearlab_tests::fuzz::{self, random};

use self::seed::Seed;

#[path = "src/seed.rs"]
mod seed;

/// Returns pseudo-random inputs of many lengths, the same in every run.
fn inputs(count: u64) -> impl Iterator<Item = (Seed, Vec<u8>)> {
    Seed::each(0..count).map(|seed| {
        let bytes = random(seed.number(), 8 + (seed.number() % 64) as usize);
        (seed, bytes)
    })
}

#[test]
fn events() {
    inputs(2_000).for_each(|(_seed, bytes)| fuzz::events(&bytes));
}

#[test]
fn every_model() {
    let read = inputs(4_000).filter(|(_seed, bytes)| fuzz::models(bytes)).count();
    assert!(
        (1_000..3_900).contains(&read),
        "{read} of 4000 are read: the alterations are too wild, or too tame"
    );
    let (tried, known): (BTreeSet<_>, BTreeSet<_>) = (fuzz::names().collect(), schemas().collect());
    assert_eq!(tried, known, "tests/build.rs lists them");
}

#[test]
fn chunks() {
    inputs(4_000).for_each(|(_seed, bytes)| fuzz::chunks(&bytes));
}

#[test]
fn intake() {
    inputs(200).for_each(|(_seed, bytes)| fuzz::intake(&bytes));
}

#[test]
fn signatures() {
    inputs(2_000).for_each(|(_seed, bytes)| fuzz::signatures(&bytes));
}

#[test]
fn paths() {
    inputs(300).for_each(|(_seed, bytes)| fuzz::paths(&bytes));
}

#[test]
fn cursors() {
    inputs(300).for_each(|(_seed, bytes)| fuzz::cursors(&bytes));
}
