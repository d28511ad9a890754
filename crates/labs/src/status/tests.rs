//! Tests of the table's consistency, of parsing, and of messages of refusals.

use super::closure::position;
use super::table::table;
use super::{Change, CollectionMethod, Entry, History, Inserted, OrderStatus, Refusal, Step};
use chrono::{DateTime, Utc};

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_750_000_000 + seconds, 0).expect("a time")
}

fn entry(seconds: i64, step: &str) -> Entry<u32> {
    let step = step.parse().expect("a step");
    Entry {
        created_at: at(seconds),
        step,
        detail: 0,
    }
}

#[test]
fn the_table_holds_together() {
    for method in CollectionMethod::ALL {
        let rows = table(method).rows;
        assert!(rows.len() <= 32, "the closure has a bit for each step");
        assert!(rows.is_sorted_by_key(|row| row.status));
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(position(method, row.name).map(usize::from), Some(index), "{}", row.name);
            for next in row.next {
                assert!(position(method, next).is_some(), "{method}: no step {next}");
            }
            assert_eq!(row.next.is_empty(), row.status.is_final(), "{}", row.name);
        }
        for name in ["ordered", "partial_results", "completed", "cancelled", "sample_error"] {
            assert!(Step::of(method, name).is_some(), "{method}: no {name}");
        }
        assert_eq!(Step::initial(method).name(), "ordered");
        for step in Step::all(method).skip(1) {
            assert!(step.can_follow(Step::initial(method)), "{step} is not reached");
        }
        for step in Step::all(method).filter(|step| !step.is_final()) {
            let completed = Step::of_results(method, false);
            assert!(completed.can_follow(step), "{step} cannot be completed");
        }
    }
}

#[test]
fn the_usual_walk_is_one_of_direct_transitions_and_every_step_leads_back_to_it() {
    for method in CollectionMethod::ALL {
        let path = Step::happy_path(method);
        assert_eq!(path.len(), table(method).usual.len());
        assert_eq!(path.first(), Some(&Step::initial(method)));
        assert_eq!(path.last(), Some(&Step::of_results(method, false)));
        for pair in path.windows(2) {
            assert!(pair[0].next().any(|next| next == pair[1]), "{} to {}", pair[0], pair[1]);
        }
        for start in Step::all(method) {
            let mut step = start;
            for _ in 0..Step::all(method).len() {
                step = step.simulated_next().unwrap_or(step);
            }
            assert!(step.is_final(), "{start} ends at {step}");
        }
    }
}

#[test]
fn texts_are_read_and_written() {
    for step in CollectionMethod::ALL.into_iter().flat_map(Step::all) {
        assert_eq!(step.to_string().parse(), Ok(step));
        let json = serde_json::to_string(&step).expect("JSON");
        assert_eq!(serde_json::from_str::<Step>(&json).ok(), Some(step));
    }
    let message = |text: &str| Step::parse(text).expect_err("no step").to_string();
    assert_eq!(
        message("ordered"),
        "expected `status.method.step`, three parts with a dot between them; found 1"
    );
    assert_eq!(
        message("recieved.testkit.ordered"),
        "unknown status in the first part of three: did you mean `received`?"
    );
    assert_eq!(
        message("received.walkin_test.ordered"),
        "unknown method in the second part of three: did you mean `walk_in_test`?"
    );
    assert_eq!(
        message("collecting_sample.on_site_collection.private"),
        "unknown step of `collecting_sample.on_site_collection` in the third part of three: \
         expected one of: draw_completed, redraw_available"
    );
    assert_eq!(
        message("received.testkit.with_customer"),
        "`with_customer` is a step of another status: did you mean `collecting_sample.testkit.with_customer`?"
    );
}

#[test]
fn a_refusal_names_the_steps_around_and_what_is_allowed() {
    let mut history = History::new(CollectionMethod::Testkit);
    history.insert(entry(0, "received.testkit.ordered")).expect("accepted");
    let inserted = history.insert(entry(50, "sample_with_lab.testkit.delivered_to_lab"));
    assert_eq!(
        inserted,
        Ok(Inserted {
            change: Change::Added,
            index: 1,
            last_step_changed: true,
            status_changed: true
        })
    );
    let before = history.clone();
    let mut refused = |seconds, step: &str| history.insert(entry(seconds, step)).expect_err("refused").to_string();
    assert_eq!(
        refused(60, "collecting_sample.testkit.transit_lab"),
        "`collecting_sample.testkit.transit_lab` cannot follow `sample_with_lab.testkit.delivered_to_lab`; allowed here: \
         `sample_with_lab.testkit.partial_results`, `completed.testkit.completed`, `cancelled.testkit.cancelled`, \
         `cancelled.testkit.do_not_process`, `failed.testkit.sample_error`"
    );
    assert!(refused(20, "cancelled.testkit.cancelled").starts_with(
        "`cancelled.testkit.cancelled` cannot stand between `received.testkit.ordered` and the later \
             `sample_with_lab.testkit.delivered_to_lab`; allowed here: `received.testkit.awaiting_registration`, "
    ));
    assert_eq!(
        refused(-1, "failed.testkit.lost"),
        "`failed.testkit.lost` cannot precede `received.testkit.ordered`; allowed here: none"
    );
    assert_eq!(
        refused(1, "received.walk_in_test.ordered"),
        "`received.walk_in_test.ordered` is a step of another method: the order is of `testkit`"
    );
    assert_eq!(history, before);
    history
        .insert(entry(70, "completed.testkit.completed"))
        .expect("accepted");
    let late = history.insert(entry(80, "sample_with_lab.testkit.partial_results"));
    assert!(matches!(&late, Err(Refusal::Transition { allowed, .. }) if allowed.is_empty()));
    assert_eq!(
        late.expect_err("refused").to_string(),
        "`sample_with_lab.testkit.partial_results` cannot follow `completed.testkit.completed`, which is final"
    );
}

#[test]
fn the_same_step_is_a_correction_at_its_time_and_a_new_step_at_another() {
    let scheduled = "collecting_sample.walk_in_test.appointment_scheduled";
    let mut history = History::new(CollectionMethod::WalkInTest);
    history.insert(entry(5, scheduled)).expect("accepted");
    let corrected = Entry {
        detail: 7,
        ..entry(5, scheduled)
    };
    let inserted = history.insert(corrected).expect("accepted");
    assert_eq!(
        (inserted.change, inserted.last_step_changed),
        (Change::Corrected, false)
    );
    assert_eq!(history.entries()[0].detail, 7);
    let again = history.insert(entry(9, scheduled)).expect("accepted");
    assert_eq!(
        (again.change, again.last_step_changed, again.status_changed),
        (Change::Added, true, false)
    );
    let earlier = history
        .insert(entry(0, "received.walk_in_test.ordered"))
        .expect("accepted");
    assert_eq!((earlier.index, earlier.last_step_changed), (0, false));
    assert_eq!(history.status(), Some(OrderStatus::CollectingSample));
}

#[test]
fn a_team_cancels_until_the_lab_has_the_sample() {
    for method in CollectionMethod::ALL {
        for step in Step::all(method) {
            let open = matches!(step.status(), OrderStatus::Received | OrderStatus::CollectingSample);
            assert_eq!(step.can_cancel(), open, "{step}");
            assert_eq!(Step::cancelled(method).can_follow(step), !step.is_final(), "{step}");
        }
    }
}
