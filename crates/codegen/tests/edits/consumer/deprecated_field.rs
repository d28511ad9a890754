//! Is warned: an expectation that nothing meets is an error here.

use wearlab_models::{ConnectedSource, Provider};

/// The reader.
#[expect(deprecated, reason = "what this edit is about")]
pub fn provider(source: &ConnectedSource) -> Option<&Provider> {
    source.provider.as_ref()
}
