//! Tests of results that are reported in parts, in any order, and repeatedly.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use wearlab_labs::status::{CollectionMethod, Step};

use super::super::{Advance, LabReport, ReportedResults, StepReport, advance, advance_by_results};
use super::{at, order};

/// Returns a report at a second, with a result of each code; the second selects the missing results and the lab.
fn report(seconds: u32, results: &[(u8, u8)], status: &str) -> LabReport {
    let id = "00000000-0000-0000-0000-000000000001";
    let results: Vec<_> = (results.iter())
        .map(|(code, value)| {
            // Key by its code, its slug or its name.
            let mut result = json!({"name": "same", "result": value.to_string(), "type": "numeric"});
            match code % 3 {
                0 => result["loinc"] = json!(format!("{code}-1")),
                1 => result["slug"] = json!(format!("slug-{code}")),
                _ => result["name"] = json!(format!("name {code}")),
            }
            result
        })
        .collect();
    let report = json!({
        "team_id": id, "user_id": id, "order_id": id,
        "metadata": {"date_reported": at(seconds), "specimen_number": seconds.to_string(), "status": status},
        "results": results, "missing_results": [{"name": format!("missing {seconds}"), "inferred_failure_type": "lost"}],
    });
    serde_json::from_value(report).expect("a report")
}

fn added<'a>(reports: impl IntoIterator<Item = &'a LabReport>) -> Option<ReportedResults> {
    reports.into_iter().fold(None, |known, report| match known {
        None => Some(ReportedResults::of(report)),
        Some(mut known) => {
            known.add(report);
            Some(known)
        }
    })
}

/// Returns the final results: of the latest report that has each, of reports of the same time the last one.
fn naive(reports: &[LabReport]) -> BTreeMap<String, (chrono::DateTime<chrono::FixedOffset>, String)> {
    let mut all = BTreeMap::new();
    for report in reports {
        let date = report.metadata.date_reported;
        for result in &report.results {
            let key = result
                .loinc
                .clone()
                .or(result.slug.clone())
                .unwrap_or(result.name.clone());
            let kept = all.entry(key).or_insert((date, String::new()));
            if kept.0 <= date {
                *kept = (date, result.result.clone());
            }
        }
    }
    all
}

fn reports(dates: std::ops::Range<u32>) -> impl Strategy<Value = Vec<LabReport>> {
    let results = proptest::collection::vec((0..9_u8, any::<u8>()), 0..6);
    let one = (dates, results).prop_map(|(seconds, results)| report(seconds, &results, "final"));
    proptest::collection::vec(one, 1..7)
}

/// Generates reports of distinct times, and the same in another order, each twice.
fn disorder() -> impl Strategy<Value = (Vec<LabReport>, Vec<LabReport>)> {
    reports(0..1000).prop_flat_map(|mut reports| {
        reports.sort_by_key(|report| report.metadata.date_reported);
        reports.dedup_by_key(|report| report.metadata.date_reported);
        let twice = [reports.clone(), reports.clone()].concat();
        (Just(reports), Just(twice).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn reports_end_in_the_same_results_however_they_come((sorted, disorder) in disorder()) {
        // Missing results are in order of arrival.
        let sorted_missing = |mut results: ReportedResults| {
            results.missing_results.sort_by(|a, b| a.name.cmp(&b.name));
            results
        };
        let expected = sorted_missing(added(&sorted).expect("results"));
        let found = sorted_missing(added(&disorder).expect("results"));
        prop_assert_eq!(&found, &expected);
        let last = sorted.last().expect("a report");
        prop_assert_eq!(&expected.metadata, &last.metadata);
        prop_assert_eq!(expected.missing_results.len(), sorted.len());
        // It is written and read without loss.
        let text = serde_json::to_string(&expected).expect("JSON");
        prop_assert_eq!(&serde_json::from_str::<ReportedResults>(&text).expect("results"), &expected);
        prop_assert_eq!(serde_json::to_string(&found).expect("JSON"), text);
    }

    #[test]
    fn the_latest_report_of_each_result_counts(reports in reports(0..4)) {
        let found = added(&reports).expect("results");
        let kept: BTreeMap<_, _> = found.results.iter().map(|kept| {
            let result = &kept.result;
            let key = result.loinc.clone().or(result.slug.clone()).unwrap_or(result.name.clone());
            (key, (kept.date_reported, result.result.clone()))
        }).collect();
        prop_assert_eq!(kept.len(), found.results.len(), "each once");
        prop_assert_eq!(kept, naive(&reports));
        let is_sorted = found.results.is_sorted_by_key(|kept| kept.date_reported);
        prop_assert!(is_sorted);
        let latest = reports.iter().map(|report| report.metadata.date_reported).max();
        prop_assert_eq!(Some(found.metadata.date_reported), latest);
        let mut again = found.clone();
        again.add(reports.last().expect("a report"));
        prop_assert_eq!(again, found, "again is no news");
    }
}

#[test]
fn reports_move_an_order_until_it_is_completed() {
    let method = CollectionMethod::WalkInTest;
    let mut order = order(method);
    let moved = |order: &mut wearlab_models::Order, report: &LabReport| {
        advance_by_results(order, &report.metadata, at(100).to_utc()).expect("is taken")
    };
    let names = |order: &wearlab_models::Order| -> Vec<String> {
        order.events.iter().map(|event| event.status.clone()).collect()
    };
    let draw = Step::of(method, "draw_completed").expect("a step");
    advance(&mut order, &StepReport::at(draw, at(1)), at(100).to_utc()).expect("goes");
    // The last report comes first.
    assert_eq!(moved(&mut order, &report(9, &[(1, 1)], "final")), Advance::Changed);
    assert_eq!(order.status.as_str(), "completed");
    assert_eq!(moved(&mut order, &report(5, &[(1, 1)], "partial")), Advance::Changed);
    assert_eq!(moved(&mut order, &report(5, &[(2, 1)], "partial")), Advance::Unchanged);
    for (seconds, status) in [(10, "partial"), (12, "corrected"), (7, "final")] {
        let later = report(seconds, &[(1, 2)], status);
        assert_eq!(moved(&mut order, &later), Advance::Unchanged, "it is completed");
    }
    let expected = [
        "received.walk_in_test.ordered",
        "collecting_sample.walk_in_test.draw_completed",
        "sample_with_lab.walk_in_test.partial_results",
        "completed.walk_in_test.completed",
    ];
    assert_eq!(names(&order), expected);
}

#[test]
fn results_of_an_order_that_was_cancelled_are_refused() {
    let mut order = order(CollectionMethod::WalkInTest);
    let cancelled = Step::cancelled(CollectionMethod::WalkInTest);
    advance(&mut order, &StepReport::at(cancelled, at(1)), at(100).to_utc()).expect("goes");
    let before = order.clone();
    for status in ["partial", "final"] {
        let report = report(5, &[(1, 1)], status);
        let error = advance_by_results(&mut order, &report.metadata, at(100).to_utc()).expect_err("is refused");
        assert!(error.contains("which is final"), "{error}");
        assert_eq!(order, before);
    }
}

/// A lab may report the end of partial results without another result, or another time.
#[test]
fn that_no_more_results_come_is_news_of_its_own() {
    let (partial, last) = (report(5, &[(1, 1)], "partial"), report(5, &[(1, 1)], "final"));
    let found = added([&partial, &last]).expect("results");
    assert!(!found.metadata.is_partial());
    assert_eq!(added([&partial, &last, &partial]), Some(found.clone()));
    assert_eq!(added([&last, &partial]), Some(found));
}
