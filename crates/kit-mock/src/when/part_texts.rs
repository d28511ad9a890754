//! Texts of the parts of a body, for comparison.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::CONTENT_TYPE;
use serde_json::Value;
use wearlab_kit_types::FileContent;
use wearlab_kit_types::multipart::{Part, parse};
use wiremock::Request;

/// The parts of a request as texts. None if the body has another form.
pub(super) fn of_request(request: &Request) -> Vec<String> {
    let content_type = request.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let parts = content_type.and_then(|content_type| parse(content_type, request.body.clone().into()).ok());
    parts.and_then(texts).unwrap_or_default()
}

/// A text for each part, sorted. None if a file cannot be read.
pub(super) fn texts(parts: Vec<Part>) -> Option<Vec<String>> {
    let mut texts = parts.into_iter().map(text).collect::<Option<Vec<_>>>()?;
    texts.sort();
    Some(texts)
}

fn text(part: Part) -> Option<String> {
    let bytes = match part.content {
        FileContent::Bytes(bytes) => bytes.to_vec(),
        FileContent::Path(path, _) => std::fs::read(path).ok()?,
    };
    let json = part
        .filename
        .is_none()
        .then(|| serde_json::from_slice::<Value>(&bytes).ok());
    // Values are compared, not their texts.
    let content = match json.flatten() {
        Some(mut value) => {
            value.sort_all_objects();
            value.to_string()
        }
        None => STANDARD.encode(&bytes),
    };
    let file = part.filename.map(|name| (name, part.content_type));
    Some(format!("{:?}", (part.name, file, content)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wearlab_kit_types::multipart::{Field, parts};

    use super::*;

    const FIELDS: [Field; 2] = [Field::text("title"), Field::json("author")];

    fn request(content_type: &'static str, body: &str) -> Request {
        let mut headers = http::HeaderMap::new();
        headers.insert(CONTENT_TYPE, http::HeaderValue::from_static(content_type));
        Request {
            url: "http://127.0.0.1/".parse().expect("a URL"),
            method: http::Method::POST,
            headers,
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn values_are_compared_not_their_texts() {
        let body = "--b\r\nContent-Disposition: form-data; name=\"author\"\r\n\r\n{ \"b\": 1, \"a\": 2 }\r\n\
             --b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nX\r\n--b--\r\n";
        let found = of_request(&request("multipart/form-data; boundary=b", body));
        let wanted = |value| parts(&value, &FIELDS).ok().and_then(texts);
        assert_eq!(
            wanted(json!({ "title": "X", "author": { "a": 2, "b": 1 } })),
            Some(found.clone())
        );
        assert_ne!(
            wanted(json!({ "title": "Y", "author": { "a": 2, "b": 1 } })),
            Some(found)
        );
        assert!(of_request(&request("text/plain", body)).is_empty());
    }
}
