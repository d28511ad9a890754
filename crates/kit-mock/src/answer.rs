//! Bodies and statuses of responses.

use serde::Serialize;
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

/// A response with bytes.
pub fn bytes(status: u16, media_type: &str, body: &[u8]) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body.to_vec(), media_type)
}
