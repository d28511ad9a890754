//! Tests of histories against a naive model: reports with repeats and in any order.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use wearlab_labs::status::{Change, CollectionMethod, Entry, History, Step};

/// Returns the steps that a depth-first search finds by direct transitions.
fn found(from: Step) -> BTreeSet<Step> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<_> = from.next().collect();
    while let Some(step) = open.pop() {
        if seen.insert(step) {
            open.extend(step.next());
        }
    }
    seen
}

#[test]
fn the_closure_is_what_a_search_finds() {
    for before in CollectionMethod::ALL.into_iter().flat_map(Step::all) {
        let found = found(before);
        for after in CollectionMethod::ALL.into_iter().flat_map(Step::all) {
            assert_eq!(after.can_follow(before), found.contains(&after), "{before} to {after}");
        }
        assert_eq!(before.allowed_after(), found.into_iter().collect::<Vec<_>>());
    }
}

fn method() -> impl Strategy<Value = CollectionMethod> {
    proptest::sample::select(CollectionMethod::ALL.to_vec())
}

fn time(seconds: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(1_750_000_000 + i64::from(seconds), 0).expect("a time")
}

fn entry((seconds, step): (u32, Step), detail: u32) -> Entry<u32> {
    Entry {
        created_at: time(seconds),
        step,
        detail,
    }
}

/// Generates a walk by direct transitions: at each choice and after each pause. Steps further down in the table may
/// share a time.
fn walk() -> impl Strategy<Value = (CollectionMethod, Vec<(u32, Step)>)> {
    let choices = proptest::collection::vec((any::<proptest::sample::Index>(), 0..3_u32), 0..30);
    (method(), choices).prop_map(|(method, choices)| {
        let mut walk = vec![(0, Step::initial(method))];
        for (choice, pause) in choices {
            let (time, last) = walk[walk.len() - 1];
            let next: Vec<_> = last.next().collect();
            if next.is_empty() {
                break;
            }
            let step = next[choice.index(next.len())];
            walk.push((time + if step > last { pause } else { pause + 1 }, step));
        }
        (method, walk)
    })
}

/// Generates some of the reports of a walk, in any order, each once or more often.
fn reports() -> impl Strategy<Value = (CollectionMethod, Vec<(u32, Step)>)> {
    walk().prop_flat_map(|(method, walk)| {
        let most = walk.len() * 3;
        (
            Just(method),
            proptest::collection::vec(proptest::sample::select(walk), 0..most),
        )
    })
}

/// Generates any reports, valid or not, at few times.
fn any_reports() -> impl Strategy<Value = (CollectionMethod, Vec<(u32, Step)>)> {
    method().prop_flat_map(|method| {
        let step = proptest::sample::select(Step::all(method).collect::<Vec<_>>());
        (Just(method), proptest::collection::vec((0..8_u32, step), 0..20))
    })
}

proptest! {
    #[test]
    fn reports_of_a_walk_end_in_the_same_history_in_any_order((method, reports) in reports()) {
        let mut history = History::new(method);
        let mut model = BTreeMap::new();
        for (detail, report) in (0..).zip(reports) {
            let known = model.insert(report, detail).is_some();
            let inserted = history.insert(entry(report, detail)).expect("a part of a walk");
            prop_assert_eq!(inserted.change == Change::Corrected, known);
        }
        let expected: Vec<_> = model.iter().map(|(report, detail)| entry(*report, *detail)).collect();
        prop_assert_eq!(history.last_step(), model.keys().next_back().map(|(_, step)| *step));
        prop_assert_eq!(history.entries(), expected);
    }

    #[test]
    fn a_report_is_accepted_if_the_whole_history_remains_a_walk((method, reports) in any_reports()) {
        let mut history = History::new(method);
        let mut model: BTreeMap<(u32, Step), u32> = BTreeMap::new();
        for (detail, report) in (0..).zip(reports) {
            let last = model.keys().next_back().copied();
            let mut wanted = model.clone();
            let known = wanted.insert(report, detail).is_some();
            let steps: Vec<_> = wanted.keys().map(|(_, step)| *step).collect();
            let valid = steps.windows(2).all(|pair| found(pair[0]).contains(&pair[1]));
            let before = history.clone();
            match history.insert(entry(report, detail)) {
                Ok(inserted) => {
                    prop_assert!(valid);
                    let now = wanted.keys().next_back().copied();
                    prop_assert_eq!(inserted.change == Change::Corrected, known);
                    prop_assert_eq!(inserted.last_step_changed, now != last);
                    let status = |last: Option<(u32, Step)>| last.map(|(_, step)| step.status());
                    prop_assert_eq!(inserted.status_changed, status(now) != status(last));
                    model = wanted;
                }
                Err(refusal) => {
                    prop_assert!(!valid, "{}", refusal);
                    prop_assert_eq!(&history, &before);
                }
            }
        }
        let entries = history.entries().to_vec();
        prop_assert_eq!(History::restore(method, entries.into_iter().rev()), history);
    }
}
