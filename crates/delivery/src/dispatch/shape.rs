//! What of an event a pipeline sends.

use bytes::Bytes;
use serde_json::Value;
use wearlab_models::{Encoded, Event, Pipeline};

/// The payload of an event, without what the pipeline does not ask for: the values of historical pulls, and the
/// provider's own payload.
pub(super) fn payload(
    event_type: &str,
    stored: Encoded<Event>,
    pipeline: Option<&Pipeline>,
) -> serde_json::Result<Bytes> {
    let stored = stored.into_bytes();
    let raw = pipeline.is_some_and(|pipeline| pipeline.provider_raw_data);
    let values =
        !event_type.starts_with("historical.") || pipeline.is_some_and(|pipeline| pipeline.push_historical_data);
    if values && (raw || has_no_raw(&stored)) {
        return Ok(stored);
    }
    let mut payload: Value = serde_json::from_slice(&stored)?;
    if let Some(data) = payload.get_mut("data").and_then(Value::as_object_mut) {
        if !raw {
            data.shift_remove("raw");
        }
        if !values {
            data.shift_remove("data");
        }
    }
    serde_json::to_vec(&payload).map(Bytes::from)
}

/// Whether no member is called `raw`, which is seen without decoding. Where names may be written with escapes, nobody knows.
fn has_no_raw(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_ok_and(|json| !json.contains(r#""raw""#) && !json.contains(r"\u"))
}

#[cfg(test)]
mod tests {
    use super::has_no_raw;

    #[test]
    fn a_name_that_may_be_raw_is_seen() {
        for (json, is_none) in [
            (r#"{"data":{"steps":1}}"#, true),
            (r#"{"data":{"draw":"raw data"}}"#, true),
            (r#"{"data":{"raw":{}}}"#, false),
            (r#"{"data":{"r\u0061w":{}}}"#, false),
        ] {
            assert_eq!(has_no_raw(json.as_bytes()), is_none, "{json}");
        }
    }
}
