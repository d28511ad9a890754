//! Checks of texts and URLs in the blocks of a pipeline.

use reqwest::Url;

use crate::ConfigError;

/// Lists the values of an enum, for messages.
pub(crate) fn known<T: std::fmt::Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Fails with `reason` where a text is blank.
pub(crate) fn filled(field: &str, text: &str, reason: &str) -> Result<(), ConfigError> {
    match text.trim().is_empty() {
        true => Err(ConfigError::new(field, reason)),
        false => Ok(()),
    }
}

/// Checks that an event type is one line of text.
pub(crate) fn plain(field: &str, text: &str) -> Result<(), ConfigError> {
    match wearlab_store::has_control_characters(text) {
        true => Err(ConfigError::new(
            field,
            "has control characters, which no event type has",
        )),
        false => Ok(()),
    }
}

/// Returns whether a URL has more than scheme, host, port and path.
pub(crate) fn has_more_than_location(url: &Url) -> bool {
    let userinfo = !url.username().is_empty() || url.password().is_some();
    userinfo || url.query().is_some() || url.fragment().is_some()
}
