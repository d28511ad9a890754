//! Results of checks of a configuration.

/// Settings that are invalid, each with the reason.
pub(super) type Findings = Vec<(&'static str, String)>;
