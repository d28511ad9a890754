//! Options of the population.

/// Seed and size of the population.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// What all data and keys are derived from.
    pub seed: u64,
    /// How many users there are, over all teams; at least one. With three or more, every team has one.
    pub users: u32,
}
