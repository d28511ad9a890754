//! Observation: a result that was ordered and will not come, with the reason.

use serde_json::{Value, json};
use wearlab_models::MissingResult;

use super::observation::{absent, common};
use crate::concepts::measured;
use crate::source::Source;

/// Creates the resource. R4 has a status for a measurement that was not made or not completed: `cancelled`.
pub(crate) fn resource(source: &Source<'_>, missing: &MissingResult) -> Value {
    let texts = [
        Some(&*missing.name),
        missing.slug.as_deref(),
        missing.loinc_slug.as_deref(),
    ];
    let code = measured(missing.loinc.as_deref(), texts);
    let mut observation = common(source, "cancelled", code);
    let reason = missing.inferred_failure_type.trim();
    let reason = match reason {
        "" | "unknown" => absent("unknown", "Unknown", None),
        _ => absent("not-performed", "Not Performed", Some(reason)),
    };
    observation.insert("dataAbsentReason".into(), reason);
    observation.insert("note".into(), json!([{"text": missing.note}]));
    Value::Object(observation)
}
