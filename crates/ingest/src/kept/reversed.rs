//! Summaries that end before they begin.

use chrono::NaiveDate;
use wearlab_models::ResourceName;

use super::summary::Summary;
use crate::{ExactObject, ExactValue};

/// Returns the names of the start and the end of a summary that ends before it begins.
pub(super) fn reversed(resource: &ResourceName, summary: &Summary, value: &ExactObject) -> Option<[&'static str; 2]> {
    let day = |name: &str| match value.get(name) {
        Some(ExactValue::String(text)) => text.parse::<NaiveDate>().ok(),
        _ => None,
    };
    if resource.identity() == Some("period") {
        let start = "period_start";
        let mut ends = ["period_end", "cycle_end"].into_iter();
        let end = ends.find(|end| day(start).zip(day(end)).is_some_and(|(start, end)| end < start))?;
        return Some([start, end]);
    }
    let is_reversed = summary.start.zip(summary.end).is_some_and(|(start, end)| end < start);
    let names = match (resource.identity(), resource.times()) {
        (Some("day"), _) => ["start", "end"],
        (_, [start, end]) => [*start, *end],
        _ => return None,
    };
    is_reversed.then_some(names)
}
