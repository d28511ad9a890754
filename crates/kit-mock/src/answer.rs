//! Bodies and statuses of responses.

use serde::Serialize;
use wearlab_kit_types::ServerSentEvent;
use wiremock::ResponseTemplate;

/// A response without a body.
pub fn empty(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status)
}

/// A response with a JSON value.
pub fn json<T: Serialize>(status: u16, media_type: &str, body: &T) -> ResponseTemplate {
    let text = serde_json::to_vec(body).unwrap_or_default();
    bytes(status, media_type, &text)
}

/// A response with JSON values, one a line.
pub fn lines<T: Serialize>(status: u16, media_type: &str, values: &[T]) -> ResponseTemplate {
    let lines = values.iter().filter_map(|value| serde_json::to_string(value).ok());
    let text: String = lines.map(|line| line + "\n").collect();
    bytes(status, media_type, text.as_bytes())
}

/// A response with a sequence of JSON values (`application/json-seq`).
pub fn sequence<T: Serialize>(status: u16, media_type: &str, values: &[T]) -> ResponseTemplate {
    let texts = values.iter().filter_map(|value| serde_json::to_string(value).ok());
    let text: String = texts.map(|text| format!("\u{1e}{text}\n")).collect();
    bytes(status, media_type, text.as_bytes())
}

/// A response with events whose data are JSON.
pub fn events<T: Serialize>(status: u16, media_type: &str, events: &[ServerSentEvent<T>]) -> ResponseTemplate {
    let encoded = events.iter().map(|event| {
        let mut text = ServerSentEvent::new(serde_json::to_string(&event.data).unwrap_or_default());
        (text.event, text.id, text.retry) = (event.event.clone(), event.id.clone(), event.retry);
        text
    });
    text_events(status, media_type, &encoded.collect::<Vec<_>>())
}

/// A response with events whose data are text.
pub fn text_events(status: u16, media_type: &str, events: &[ServerSentEvent<String>]) -> ResponseTemplate {
    let text: String = events.iter().filter_map(ServerSentEvent::to_text).collect();
    bytes(status, media_type, text.as_bytes())
}

/// A response with bytes.
pub fn bytes(status: u16, media_type: &str, body: &[u8]) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body.to_vec(), media_type)
}
