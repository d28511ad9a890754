//! Limits of requests: a quarter of an hour and a day, which begin anew when a test says so.

/// Limits of the application, and its requests so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests of a quarter of an hour.
    pub quarter: u32,
    /// Requests of a day.
    pub day: u32,
    /// Requests in this quarter of an hour.
    pub quarter_used: u32,
    /// Requests on this day.
    pub day_used: u32,
}

impl Limits {
    /// Creates limits without requests so far.
    pub fn new(quarter: u32, day: u32) -> Self {
        Self {
            quarter,
            day,
            quarter_used: 0,
            day_used: 0,
        }
    }
}
