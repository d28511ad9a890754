//! Lists of texts.

use serde_json::Value;

/// The texts of a list.
pub(super) fn texts(list: Option<Value>) -> Option<Vec<String>> {
    let list = list?;
    let texts = list.as_array()?.iter().filter_map(Value::as_str);
    Some(texts.map(str::to_owned).collect())
}
