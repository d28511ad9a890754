//! Pipelines: what they must keep to, for an import and for the interface.

use wearlab_delivery::{ConfigError, pipeline};
use wearlab_models::Pipeline;

/// A pipeline that is to replace the stored one, if there is one: with the stored secrets in place of their masks.
///
/// # Errors
///
/// The field that cannot be, and why, without its value.
pub(crate) fn checked(mut given: Pipeline, stored: Option<&Pipeline>) -> Result<Pipeline, ConfigError> {
    if let Some(stored) = stored {
        pipeline::unmask(&mut given, stored)?;
    }
    // Not before: what is masked whole cannot be parsed.
    pipeline::check(&given)?;
    pipeline::check_build(&given)?;
    Ok(given)
}
