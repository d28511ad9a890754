//! Transitive closure of the table of transitions.

use std::sync::LazyLock;

use super::CollectionMethod;
use super::table::table;

/// Reachable steps of each step of a method: bit `i` is the step at position `i`.
struct Closure([Vec<u32>; CollectionMethod::ALL.len()]);

static CLOSURE: LazyLock<Closure> = LazyLock::new(|| Closure(CollectionMethod::ALL.map(closure)));

/// Returns whether the table leads from one position to another.
pub(super) fn leads(method: CollectionMethod, from: u8, to: u8) -> bool {
    CLOSURE.0[method as usize][usize::from(from)] & bit(to) != 0
}

/// Returns the position of a step of a method.
pub(super) fn position(method: CollectionMethod, name: &str) -> Option<u8> {
    let found = table(method).rows.iter().position(|row| row.name == name)?;
    u8::try_from(found).ok()
}

fn closure(method: CollectionMethod) -> Vec<u32> {
    let direct = |next: &[&str]| next.iter().filter_map(|name| position(method, name)).map(bit).sum();
    let mut sets: Vec<u32> = table(method).rows.iter().map(|row| direct(row.next)).collect();
    // Warshall: after step k, paths through positions 0..=k are in the sets.
    for through in 0..sets.len() {
        let beyond = sets[through];
        for set in &mut sets {
            if *set >> through & 1 == 1 {
                *set |= beyond;
            }
        }
    }
    sets
}

fn bit(position: u8) -> u32 {
    1 << position
}
