//! Tests of steps that come in any order, and repeatedly, against a naive model.

use chrono::{DateTime, FixedOffset};
use proptest::prelude::*;
use wearlab_labs::status::{CollectionMethod, Step};
use wearlab_models::Order;

use super::super::{Advance, LabOrderUpdated, StepReport, advance};
use super::{at, order};

const METHODS: [CollectionMethod; 4] = [
    CollectionMethod::Testkit,
    CollectionMethod::WalkInTest,
    CollectionMethod::AtHomePhlebotomy,
    CollectionMethod::OnSiteCollection,
];

fn method() -> impl Strategy<Value = CollectionMethod> {
    proptest::sample::select(METHODS.as_slice())
}

fn arrival(status: String, seconds: u32, detail: Option<String>) -> LabOrderUpdated {
    let order = order(CollectionMethod::Testkit);
    LabOrderUpdated {
        team_id: order.team_id,
        user_id: order.user_id,
        order_id: order.id,
        status,
        created_at: at(seconds),
        status_detail: detail,
        sample_id: None,
        notes: None,
        arrival_id: None,
    }
}

/// Returns the state of an order that depends on the reports alone, not on their order.
fn state(order: &Order) -> impl PartialEq + std::fmt::Debug + use<> {
    let of = |event: &wearlab_models::OrderEvent| (event.created_at, event.status.clone(), event.status_detail.clone());
    let events: Vec<_> = order.events.iter().map(of).collect();
    (
        events,
        of(&order.last_event),
        order.status.clone(),
        order.notes.clone(),
        order.sample_id.clone(),
    )
}

/// Generates reports of a walk from the first step, each with a detail of its own.
fn walk() -> impl Strategy<Value = (CollectionMethod, Vec<LabOrderUpdated>)> {
    let choices = proptest::collection::vec((any::<prop::sample::Index>(), 1..4_u32), 0..8);
    (method(), choices).prop_map(|(method, choices)| {
        let (mut step, mut seconds, mut reports) = (Step::initial(method), 0, Vec::new());
        for (choice, later) in choices {
            let next = step.allowed_after();
            if next.is_empty() {
                break;
            }
            step = next[choice.index(next.len())];
            seconds += later;
            reports.push(arrival(step.to_string(), seconds, Some(format!("at {seconds}"))));
        }
        (method, reports)
    })
}

/// Generates a walk, and the reports of it in another order, some of them twice.
fn disorder() -> impl Strategy<Value = (CollectionMethod, Vec<LabOrderUpdated>, Vec<LabOrderUpdated>)> {
    walk().prop_flat_map(|(method, reports)| {
        let twice = [reports.clone(), reports.clone()].concat();
        (Just(method), Just(reports), Just(twice).prop_shuffle())
    })
}

fn apply(order: &mut Order, report: &LabOrderUpdated, now: DateTime<FixedOffset>) -> Result<Advance, String> {
    advance(order, &StepReport::from(report), now.to_utc())
}

/// Generates any report: of the usual methods, or of none.
fn anything() -> impl Strategy<Value = LabOrderUpdated> {
    let step = prop_oneof![
        20 => any::<(prop::sample::Index, bool)>().prop_map(|(index, testkit)| {
            let method = METHODS[usize::from(!testkit)];
            let all: Vec<_> = Step::all(method).collect();
            all[index.index(all.len())].to_string()
        }),
        1 => Just("received.testkit.orderd".to_owned()),
    ];
    (step, 0..12_u32, proptest::option::of("[ab]")).prop_map(|(step, seconds, detail)| arrival(step, seconds, detail))
}

/// Returns whether a step leads to another one, by a search of all paths.
fn leads(from: Step, to: Step) -> bool {
    let (mut seen, mut open) = (Vec::new(), vec![from]);
    while let Some(step) = open.pop() {
        for next in step.next() {
            if next == to {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    false
}

/// Steps of an order by time and position in the table, each with its detail.
#[derive(Clone, Debug, PartialEq)]
struct Model(Vec<(DateTime<FixedOffset>, Step, Option<String>)>);

impl Model {
    /// Applies a report, unless a step then follows one that does not lead to it.
    fn take(&mut self, report: &LabOrderUpdated, method: CollectionMethod) -> bool {
        let Ok(step) = report.status.parse::<Step>() else {
            return false;
        };
        if step.method() != method {
            return false;
        }
        let is_same = |known: &&mut (DateTime<FixedOffset>, Step, Option<String>)| {
            known.0 == report.created_at && known.1 == step
        };
        if let Some(known) = self.0.iter_mut().find(is_same) {
            if report.status_detail.is_some() {
                known.2.clone_from(&report.status_detail);
            }
            return true;
        }
        let mut steps = self.0.clone();
        steps.push((report.created_at, step, report.status_detail.clone()));
        steps.sort_by_key(|(time, step, _)| (*time, step.position()));
        let is_walk = steps.windows(2).all(|pair| leads(pair[0].1, pair[1].1));
        if is_walk {
            self.0 = steps;
        }
        is_walk
    }
}

proptest! {
    #[test]
    fn a_walk_ends_in_the_same_order_however_it_is_reported((method, reports, disorder) in disorder()) {
        let mut expected = order(method);
        for report in &reports {
            prop_assert_eq!(apply(&mut expected, report, at(100)), Ok(Advance::Changed));
        }
        let mut found = order(method);
        let mut seen = Vec::new();
        for (number, report) in (200..).zip(&disorder) {
            let before = found.clone();
            let outcome = apply(&mut found, report, at(number));
            if seen.contains(&report) {
                prop_assert_eq!(outcome, Ok(Advance::Unchanged));
                prop_assert_eq!(&found, &before);
            } else {
                prop_assert_eq!(outcome, Ok(Advance::Changed));
                prop_assert_eq!(found.updated_at, at(number));
                seen.push(report);
            }
        }
        prop_assert_eq!(state(&found), state(&expected));
        // Ids number the steps in the order of their reports.
        let mut ids: Vec<_> = found.events.iter().map(|event| event.id).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (1..).take(reports.len() + 1).collect::<Vec<_>>());
        let is_sorted = expected.events.is_sorted_by_key(|event| event.id);
        prop_assert!(is_sorted, "those of a walk that is reported as it went");
    }

    #[test]
    fn any_reports_make_what_a_naive_model_makes_of_them(
        method in proptest::sample::select(METHODS[..2].to_vec()),
        reports in proptest::collection::vec(anything(), 0..25),
    ) {
        let mut found = order(method);
        let mut model = Model(vec![(at(0), Step::initial(method), None)]);
        for (number, report) in (100..).zip(&reports) {
            let (before, modelled) = (found.clone(), model.clone());
            let accepted = model.take(report, method);
            let outcome = apply(&mut found, report, at(number));
            prop_assert_eq!(outcome.is_ok(), accepted, "{:?}: {:?}", report, outcome);
            if outcome != Ok(Advance::Changed) {
                prop_assert_eq!(&found, &before, "nothing changes");
                prop_assert_eq!(&model, &modelled);
            }
            let steps = found.events.iter().map(|event| {
                (event.created_at, event.status.parse().expect("a step"), event.status_detail.clone())
            });
            prop_assert_eq!(&steps.collect::<Vec<_>>(), &model.0);
            let last = model.0.last().expect("a step").1;
            prop_assert_eq!(found.status.as_str(), last.status().as_str());
            prop_assert_eq!(Some(&found.last_event), found.events.last());
        }
    }
}

#[test]
fn a_correction_replaces_what_it_says_and_no_more() {
    let mut order = order(CollectionMethod::Testkit);
    let mut report = arrival(
        "collecting_sample.testkit.transit_lab".to_owned(),
        5,
        Some("a".to_owned()),
    );
    (report.notes, report.sample_id) = (Some("first".to_owned()), Some("S1".to_owned()));
    assert_eq!(apply(&mut order, &report, at(10)), Ok(Advance::Changed));
    let before = order.clone();
    // The same time at another offset, with fewer values.
    let mut less = arrival(report.status.clone(), 5, None);
    less.created_at = less.created_at.to_utc().fixed_offset();
    assert_eq!(apply(&mut order, &less, at(11)), Ok(Advance::Unchanged));
    assert_eq!(order, before);
    less.notes = Some("second".to_owned());
    assert_eq!(apply(&mut order, &less, at(12)), Ok(Advance::Changed));
    let event = &order.events[1];
    assert_eq!((event.id, event.status_detail.as_deref()), (2, Some("a")));
    assert_eq!(
        (order.notes.as_deref(), order.sample_id.as_deref()),
        (Some("second"), Some("S1"))
    );
    assert_eq!(order.events.len(), 2);
}

#[test]
fn what_is_unknown_here_is_refused_and_nothing_of_a_value_shows() {
    let report = arrival("collecting_sample.testkit.transit_lab".to_owned(), 5, None);
    let mut other = order(CollectionMethod::Testkit);
    other.details.type_ = "secret_method".into();
    let error = apply(&mut other, &report, at(9)).expect_err("is refused");
    assert_eq!(error, "the order has a collection method that is unknown here");
    let mut other = order(CollectionMethod::Testkit);
    other.events[0].status = "received.testkit.secret_step".to_owned();
    let error = apply(&mut other, &report, at(9)).expect_err("is refused");
    assert!(
        error.starts_with("the order has a step that is unknown here: ") && !error.contains("secret"),
        "{error}"
    );
    let walk_in = arrival("received.walk_in_test.requisition_created".to_owned(), 5, None);
    let error = apply(&mut order(CollectionMethod::Testkit), &walk_in, at(9)).expect_err("is refused");
    let expected = "`received.walk_in_test.requisition_created` is a step of another method: the order is of `testkit`";
    assert_eq!(error, expected);
}
