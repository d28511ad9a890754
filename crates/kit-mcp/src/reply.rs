//! Results of tools.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use wearlab_kit_cli::Failure;

/// The result of a response. One longer than `max_bytes` is cut, which a second text says. A JSON object is structured
/// content, too.
pub(crate) fn success(body: &[u8], max_bytes: usize) -> CallToolResult {
    if body.is_empty() {
        return CallToolResult::success(vec![ContentBlock::text("Done. The response has no content.")]);
    }
    let text = String::from_utf8_lossy(body);
    let (text, notice) = bounded(&text, max_bytes);
    let is_cut = notice.is_some();
    let content = [Some(text.to_owned()), notice];
    let mut result = CallToolResult::success(content.into_iter().flatten().map(ContentBlock::text).collect());
    if !is_cut {
        result.structured_content = object(body);
    }
    result
}

/// The result of a failure: its message, and the body of the error response as structured content.
pub(crate) fn failure(failure: &Failure, max_bytes: usize) -> CallToolResult {
    let mut result = refusal(bounded(&failure.line(), max_bytes).0);
    if let Failure::Call(error) = failure
        && let Some(body) = error.failure().map(|response| response.body())
        && body.len() <= max_bytes
    {
        result.structured_content = object(body);
    }
    result
}

/// The result of a call that is not made.
pub(crate) fn refusal(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// A JSON object. Other values cannot be structured content.
fn object(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok().filter(Value::is_object)
}

/// The first bytes of a text, and a notice if it is longer.
fn bounded(text: &str, max_bytes: usize) -> (&str, Option<String>) {
    if text.len() <= max_bytes {
        return (text, None);
    }
    let end = text.floor_char_boundary(max_bytes);
    let notice = format!(
        "The result is cut: these are the first {end} of {} bytes. Ask for less, such as a smaller page or a shorter period, \
         or start the server with a larger --max-result-bytes.",
        text.len()
    );
    (&text[..end], Some(notice))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wearlab_kit_cli::Failure;

    use super::{failure, success};

    fn texts(result: &rmcp::model::CallToolResult) -> Vec<&str> {
        let texts = result.content.iter().filter_map(|content| content.as_text());
        texts.map(|text| text.text.as_str()).collect()
    }

    #[test]
    fn an_object_is_structured_content() {
        let result = success(br#"{"a":1}"#, 7);
        assert_eq!(texts(&result), [r#"{"a":1}"#]);
        assert_eq!(result.structured_content, Some(json!({ "a": 1 })));
        assert_eq!(success(b"[1]", 7).structured_content, None);
    }

    #[test]
    fn a_long_result_is_cut_between_characters() {
        let result = success("\"aé\"".as_bytes(), 3);
        let texts = texts(&result);
        assert_eq!(texts[0], "\"a");
        assert!(texts[1].contains("the first 2 of 5 bytes"), "{}", texts[1]);
        assert_eq!((texts.len(), &result.structured_content), (2, &None));
    }

    #[test]
    fn an_empty_response_is_a_result() {
        assert_eq!(texts(&success(b"", 9)), ["Done. The response has no content."]);
    }

    #[test]
    fn failures_are_errors_of_the_tool() {
        let result = failure(&Failure::Usage("missing user_id".to_owned()), 100);
        assert_eq!((result.is_error, texts(&result)), (Some(true), vec!["missing user_id"]));
    }
}
