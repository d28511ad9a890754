//! Validation of pipelines, for imports and for the interface.

use wearlab_delivery::{ConfigError, pipeline};
use wearlab_models::Pipeline;

/// Validates a pipeline that replaces the stored one, if there is one. Masks are replaced by the stored secrets.
///
/// # Errors
///
/// The invalid field and the reason, without its value.
pub(crate) fn checked(mut given: Pipeline, stored: Option<&Pipeline>) -> Result<Pipeline, ConfigError> {
    if let Some(stored) = stored {
        pipeline::unmask(&mut given, stored)?;
    }
    // Checked after unmasking, since a masked URL cannot be parsed.
    pipeline::check(&given)?;
    pipeline::check_build(&given)?;
    Ok(given)
}
