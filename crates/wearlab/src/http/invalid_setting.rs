//! Error of a setting.

/// An invalid setting.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct InvalidSetting {
    /// Where it is in the settings, such as `http.limits.connections`.
    pub key: &'static str,
    /// What is wrong with it, and what would not be.
    pub reason: String,
}

impl InvalidSetting {
    pub(super) fn new(key: &'static str, reason: impl Into<String>) -> Self {
        Self {
            key,
            reason: reason.into(),
        }
    }
}
