//! Checks of pipelines that need no connection.
//!
//! It is the same in every build, whatever its features: the blocks are those of [`kinds`].

mod mask;
pub(crate) mod text;

use wearlab_models::{DeliveryKind, Pipeline, PipelinePreferences};

pub use self::mask::{check_unmasked, unmask};
use self::text::{filled, known, plain};
use crate::ConfigError;
use crate::kinds::kind::unsupported;
use crate::kinds::{self, Registered};

/// Checks a pipeline.
///
/// Blocks of kinds that are not enabled are ignored, and may be empty. Keys and passwords may be masked.
///
/// # Errors
///
/// For the first field that is invalid.
pub fn check(pipeline: &Pipeline) -> Result<(), ConfigError> {
    preferences(&pipeline.preferences)?;
    for (index, kind) in pipeline.preferences.enabled.iter().enumerate() {
        if !DeliveryKind::KNOWN.contains(kind) {
            // The enum is open in the interface, but nothing here would deliver the events.
            let reason = format!("unknown kind of delivery; supported are {}", known(DeliveryKind::KNOWN));
            return Err(ConfigError::new(format!("preferences.enabled[{index}]"), reason));
        }
        Registered::of(kind)?.check(pipeline)?;
    }
    for (index, prefix) in pipeline.event_type_prefixes.iter().enumerate() {
        let reason = "is empty; to let all events through, leave the list empty";
        let field = format!("event_type_prefixes[{index}]");
        filled(&field, prefix, reason)?;
        plain(&field, prefix)?;
    }
    Ok(())
}

/// Checks that this build supports the kinds that a pipeline enables. `svix` is always supported: without the feature,
/// the built-in webhooks replace it.
///
/// # Errors
///
/// For the first kind that is not supported, with the feature to enable.
pub fn check_build(pipeline: &Pipeline) -> Result<(), ConfigError> {
    for (index, kind) in pipeline.preferences.enabled.iter().enumerate() {
        if !Registered::of(kind).is_ok_and(Registered::is_usable) {
            return Err(unsupported(kind, index));
        }
    }
    Ok(())
}

/// Checks a pipeline that replaces the stored one, if there is one, and returns it with the stored secrets in place of masks.
///
/// # Errors
///
/// For the first field that is invalid, without its value.
pub fn check_replacement(mut given: Pipeline, stored: Option<&Pipeline>) -> Result<Pipeline, ConfigError> {
    if let Some(stored) = stored {
        unmask(&mut given, stored)?;
    }
    // Checked after unmasking, since a masked URL cannot be parsed.
    check(&given)?;
    check_build(&given)?;
    Ok(given)
}

/// Removes the blocks of kinds that are not enabled.
pub fn remove_unused(pipeline: &mut Pipeline) {
    kinds::remove_unused(pipeline);
}

fn preferences(preferences: &PipelinePreferences) -> Result<(), ConfigError> {
    let enabled = &preferences.enabled;
    for (index, kind) in enabled.iter().enumerate() {
        if enabled[..index].contains(kind) {
            return Err(ConfigError::new(
                format!("preferences.enabled[{index}]"),
                "is listed twice",
            ));
        }
    }
    // Without a kind, nothing is sent, whichever is preferred.
    match enabled.is_empty() || enabled.contains(&preferences.preferred) {
        true => Ok(()),
        false => Err(ConfigError::new(
            "preferences.preferred",
            "is not in preferences.enabled; add it there, or prefer one that is",
        )),
    }
}
