//! Pages of lists, and the fields that a request names.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wearlab_kit_server::ApiError;

/// Items of a page.
const PAGE: usize = 20;

/// Page of a list.
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    pub(super) is_more: bool,
    /// Offset of the next page; 0 on the last one.
    pub(super) offset: i64,
}

/// Returns the items of a page, which begins after as many as the offset.
pub(super) fn page<T: Clone>(items: Vec<T>, offset: Option<i64>) -> Page<T> {
    let before = usize::try_from(offset.unwrap_or(0)).unwrap_or(0);
    let end = before.saturating_add(PAGE);
    let is_more = items.len() > end;
    Page {
        items: items.into_iter().skip(before).take(PAGE).collect(),
        is_more,
        offset: if is_more { end as i64 } else { 0 },
    }
}

/// Returns a record with the fields of a list that a request names, and those that all have.
pub(super) fn with_fields<T>(record: &T, fields: Option<&str>, always: &[&str]) -> Result<T, ApiError>
where
    T: Serialize + DeserializeOwned,
{
    let internal = |error: serde_json::Error| ApiError::internal(error);
    let mut value = serde_json::to_value(record).map_err(internal)?;
    let named: Vec<_> = fields.unwrap_or_default().split(',').collect();
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| always.contains(&name.as_str()) || named.contains(&name.as_str()));
    }
    serde_json::from_value(value).map_err(internal)
}
