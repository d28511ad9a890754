//! Results of checks of a configuration.

/// The settings that are invalid, each with the reason.
pub(super) type Findings = Vec<(&'static str, String)>;
