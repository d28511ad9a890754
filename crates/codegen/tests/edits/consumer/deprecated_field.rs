//! Uses the deprecated field: an unfulfilled expectation is an error here.

use wearlab_models::{ConnectedSource, Provider};

/// The reader.
#[expect(deprecated, reason = "what this edit is about")]
pub fn provider(source: &ConnectedSource) -> Option<&Provider> {
    source.provider.as_ref()
}
