//! Options of the population.

/// Seed and size of the population.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Seed of all data and keys.
    pub seed: u64,
    /// Number of users in all teams, at least one. With three or more, every team has one.
    pub users: u32,
}
