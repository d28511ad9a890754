//! Error of an invalid setting.

use std::borrow::Cow;

/// An invalid setting.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct InvalidSetting {
    /// Path of the setting, such as `http.limits.connections`.
    pub key: Cow<'static, str>,
    /// The reason, with a valid value.
    pub reason: String,
}

impl InvalidSetting {
    /// Creates the error of a setting, by its path.
    pub fn new(key: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            reason: reason.into(),
        }
    }
}
