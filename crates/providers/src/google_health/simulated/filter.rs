//! Filters of lists of points.

use std::ops::Range;

use wearlab_kit_server::ApiError;

/// Types of points that are of a day.
const DAILY: &str = "daily-";
/// Types of points that have a start and an end.
const INTERVALS: [&str; 3] = ["steps", "distance", "hydration-log"];

/// Keys of points from the first to before the end, or all.
pub(super) struct Filter(Option<Range<String>>);

impl Filter {
    /// Parses the filter of a list of a type. It compares the one member that the type can be filtered by.
    pub(super) fn read(data_type: &str, text: Option<&str>) -> Result<Self, ApiError> {
        let member = format!("{}.{}", data_type.replace('-', "_"), member(data_type));
        let invalid = || ApiError::bad_request("INVALID_DATA_POINT_FILTER_DATA_TYPE_MEMBER");
        let Some(text) = text else {
            return Ok(Self(None));
        };
        let (first, end) = text.split_once(" AND ").ok_or_else(invalid)?;
        let bound = |part: &str, operator: &str| {
            let text = part
                .strip_prefix(&format!("{member} {operator} \""))?
                .strip_suffix('"')?;
            Some(text.to_owned())
        };
        let first = bound(first, ">=").ok_or_else(invalid)?;
        let end = bound(end, "<").ok_or_else(invalid)?;
        Ok(Self(Some(first..end)))
    }

    /// Returns whether a point is selected by its key: its day, its local time, or its time in UTC.
    pub(super) fn selects(&self, key: &str) -> bool {
        let Self(range) = self;
        range
            .as_ref()
            .is_none_or(|range| (range.start.as_str()..range.end.as_str()).contains(&key))
    }
}

/// Returns the member that a type is filtered by.
fn member(data_type: &str) -> &'static str {
    match data_type {
        "sleep" => "interval.end_time",
        "exercise" => "interval.civil_start_time",
        _ if data_type.starts_with(DAILY) => "date",
        _ if INTERVALS.contains(&data_type) => "interval.start_time",
        _ => "sample_time.physical_time",
    }
}
