//! Payload of an event, by the settings of a pipeline.

use bytes::Bytes;
use wearlab_models::{Encoded, Event, Pipeline};
use wearlab_store::{ExactObject, ExactValue};

/// The payload of an event, without the parts that the pipeline leaves out: the values of historical pulls, and the
/// provider's own payload.
///
/// # Errors
///
/// If the stored event is not a JSON object.
pub fn payload(event_type: &str, stored: Encoded<Event>, pipeline: Option<&Pipeline>) -> serde_json::Result<Bytes> {
    let stored = stored.into_bytes();
    let raw = pipeline.is_some_and(|pipeline| pipeline.provider_raw_data);
    let values =
        !event_type.starts_with("historical.") || pipeline.is_some_and(|pipeline| pipeline.push_historical_data);
    if values && (raw || has_no_raw(&stored)) {
        return Ok(stored);
    }
    // The remaining parts are sent as they are in the log, to the last digit.
    let mut payload = ExactObject::of_event(&stored)?;
    if let Some(ExactValue::Object(data)) = payload.get_mut("data") {
        if !raw {
            data.remove("raw");
        }
        if !values {
            data.remove("data");
        }
    }
    serde_json::to_vec(&payload).map(Bytes::from)
}

/// Returns whether no member is called `raw`, without decoding. False if names may be written with escapes, which
/// hide it.
fn has_no_raw(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_ok_and(|json| !json.contains(r#""raw""#) && !json.contains(r"\u"))
}

#[cfg(test)]
mod tests {
    use wearlab_models::Encoded;

    use super::{has_no_raw, payload};

    #[test]
    fn what_is_left_keeps_every_digit() {
        let stored =
            r#"{"event_type":"e","data":{"data":[{"n":18446744073709551617,"t":1e-400}],"raw":{"n":1}},"z":1.10}"#;
        let sent = payload(
            "daily.data.steps.created",
            Encoded::from_stored(stored.to_owned()),
            None,
        );
        let expected = r#"{"event_type":"e","data":{"data":[{"n":18446744073709551617,"t":1e-400}]},"z":1.10}"#;
        assert_eq!(sent.expect("JSON"), expected);
        let sent = payload(
            "historical.data.steps.created",
            Encoded::from_stored(stored.to_owned()),
            None,
        );
        assert_eq!(sent.expect("JSON"), r#"{"event_type":"e","data":{},"z":1.10}"#);
    }

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
