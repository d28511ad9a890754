//! Assumptions about accepted arrivals, which their senders receive as notes.

use wearlab_labs::nearest;
use wearlab_models::{LineNote, NoteCode, ResourceName, User};

use crate::kept::DataKind;
use crate::time_zone::ZoneReading;
use crate::{DataArrival, ExactValue, LineError};

/// `source_slug` of a fallback time zone that was never set.
pub const DEFAULT_ZONE_SOURCE: &str = "default";

impl DataArrival {
    /// Returns the assumptions that follow from the arrival alone.
    pub fn notes(&self) -> Vec<LineNote> {
        [self.resource_note(), self.unit_note()].into_iter().flatten().collect()
    }

    /// Returns the assumptions about times without an offset, which are read in the fallback time zone of a user.
    ///
    /// # Errors
    ///
    /// Fails as [`with_offsets`](Self::with_offsets) does.
    pub fn time_notes(&self, user: &User) -> Result<Vec<LineNote>, LineError> {
        let zone = &user.fallback_time_zone;
        let ZoneReading {
            local,
            skipped,
            ambiguous,
            ..
        } = self.read_in(&zone.id)?;
        let local = local.filter(|_| zone.source_slug == DEFAULT_ZONE_SOURCE);
        let notes = [
            (
                NoteCode::DefaultTimeZone,
                local,
                "the time has no offset, and the user's time zone was never set: it was read in the default one. Set \
                 fallback_time_zone of the user, or send times with their offset",
            ),
            (
                NoteCode::SkippedTime,
                skipped,
                "the clock skipped this time in the user's time zone: it was read as the time after the change. Send \
                 times with their offset",
            ),
            (
                NoteCode::AmbiguousTime,
                ambiguous,
                "the clock showed this time twice in the user's time zone, and the order of the values leaves both \
                 possible: the first was taken. Send times with their offset",
            ),
        ];
        let notes = notes
            .into_iter()
            .filter_map(|(code, field, message)| Some(note(code, &field?, message)));
        Ok(notes.collect())
    }

    fn resource_note(&self) -> Option<LineNote> {
        // The stages of hypnograms are only sent as events, as documented.
        if DataKind::of(&self.resource) != DataKind::Other || self.resource == ResourceName::Hypnogram {
            return None;
        }
        const MEANS: &str = "the values are sent as events and cannot be read";
        let message = match (&self.resource, readable_resource(self.resource.as_str())) {
            (ResourceName::Other(_), Some(meant)) => {
                format!("no such resource: did you mean `{meant}`? Otherwise {MEANS}")
            }
            (ResourceName::Other(_), None) => format!("no such resource: {MEANS}"),
            _ => format!("the resource has no values of its own: {MEANS}"),
        };
        Some(note(NoteCode::UnreadableResource, "resource", &message))
    }

    /// Returns a note for the first value without a unit, if another unit than that of the resource is common.
    fn unit_note(&self) -> Option<LineNote> {
        let DataKind::Samples { unit } = DataKind::of(&self.resource) else {
            return None;
        };
        let other = match unit {
            "mmol/L" => "mg/dL",
            "kg" => "lb",
            "°C" => "°F",
            _ => return None,
        };
        let is_absent = |unit: Option<&ExactValue>| matches!(unit, None | Some(ExactValue::Null));
        let first = self.data.iter().position(|value| is_absent(value.get("unit")))?;
        let message =
            format!("the value has no unit: it was read as {unit}, not as {other}. Send {unit}, with the unit");
        Some(note(NoteCode::AssumedUnit, &format!("data[{first}].unit"), &message))
    }
}

/// Returns the resource with readable values that is nearest to a name.
fn readable_resource(name: &str) -> Option<&'static str> {
    if let Some(meant) = ResourceName::KNOWN.iter().find(|known| known.path_name() == Some(name)) {
        return Some(meant.as_str());
    }
    let readable = ResourceName::KNOWN
        .iter()
        .filter(|known| DataKind::of(known) != DataKind::Other);
    nearest(name, readable.map(ResourceName::as_str))
}

/// Creates a note about a field, whose path is that below `data`.
fn note(code: NoteCode, field: &str, message: &str) -> LineNote {
    LineNote::builder()
        .code(code)
        .field(format!("data.{field}"))
        .message(message)
        .build()
}

#[cfg(test)]
mod tests;
