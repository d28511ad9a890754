//! Samples of curl.

use super::call::{Body, Call, Kind, LINES_FILE, pretty};

pub(super) fn write(call: &Call<'_>) -> String {
    let mut parts = Vec::new();
    match call.method().as_str() {
        "GET" => {}
        method => parts.push(format!("--request {method}")),
    }
    for (header, variable) in &call.credentials {
        parts.push(format!("--header \"{header}: ${variable}\""));
    }
    match &call.body {
        None => {}
        Some(Body::Json(value)) => {
            parts.push("--header 'content-type: application/json'".to_owned());
            parts.push(format!("--data {}", quoted(&pretty(value, 0))));
        }
        Some(Body::Lines(kind)) => {
            parts.push(format!("--header 'content-type: {kind}'"));
            parts.push(format!("--data-binary @{LINES_FILE}"));
        }
    }
    if call.response == Kind::File {
        parts.push(format!("--output {}", call.file()));
    }
    // Path and query are percent-encoded: they have no character that a shell interprets within these quotes.
    let url = format!("\"${}{}\"", call.url_variable(), call.target());
    format!("curl {url} \\\n  {}", parts.join(" \\\n  "))
}

/// Quotes a text as one argument.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_ends_a_quote() {
        assert_eq!(super::quoted("it's $x"), r"'it'\''s $x'");
    }
}
