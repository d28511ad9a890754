//! Detection of each kind of lost, invented or repeated event.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};

use super::Ledger;
use crate::arrival::{Arrival, Badness, Kind};
use crate::sink::Received;
use crate::world::{team_id, user_id};
use wearlab_tests::process::Logged;

const CREATED: &str = "daily.data.steps.created";
const UPDATED: &str = "daily.data.steps.updated";
const COMPLETED: &str = "historical.data.steps.created";

/// Returns data of a day for a user who wants all days.
fn day(number: u64, user: usize, day: u32) -> Arrival {
    let kind = Kind::Day {
        provider: "stridewell",
        resource: "steps",
        day,
        source: "watch",
    };
    Arrival { number, user, kind }
}

/// Returns the only chunk of a pull.
fn pull(number: u64, user: usize) -> Arrival {
    let kind = Kind::Chunk {
        provider: "stridewell",
        resource: "steps",
        day: 3,
        pull: 70,
        chunk: 1,
        chunks: 1,
    };
    Arrival { number, user, kind }
}

fn log(events: &[(&str, &str)]) -> Vec<Logged> {
    let logged = |(number, (id, event_type)): (i64, &(&str, &str))| Logged {
        number,
        team: team_id(0).to_string(),
        event_id: (*id).to_owned(),
        event_type: (*event_type).to_owned(),
    };
    (1..).zip(events).map(logged).collect()
}

fn event(id: &str, event_type: &str, user: usize, values: Value) -> Received {
    let payload = json!({"event_id": id, "user_id": user_id(user), "data": {"data": values}});
    Received {
        team: 0,
        event_id: id.to_owned(),
        event_type: event_type.to_owned(),
        payload: payload.to_string().into_bytes(),
        at: Instant::now(),
        kept: true,
    }
}

/// Returns the event of [`day`].
fn of_day(id: &str, event_type: &str, user: usize, number: u64) -> Received {
    event(id, event_type, user, json!([{"value": number}]))
}

/// Runs a ledger with acknowledged arrivals, logged and received events.
fn run(arrivals: &[Arrival], logged: &[(&str, &str)], received: Vec<Received>) -> Result<()> {
    let mut ledger = Ledger::new(0..8);
    ledger.acknowledged(arrivals);
    ledger.logged(log(logged), &[])?;
    ledger.received.note(received)?;
    if let Some(missing) = ledger.missing() {
        anyhow::bail!("{} is missing", missing.event_id);
    }
    ledger.settle(true)
}

#[track_caller]
fn assert_found(outcome: Result<()>, what: &str) {
    let error = format!("{:#}", outcome.expect_err("a violation"));
    assert!(error.contains(what), "{error}");
}

#[test]
fn what_is_right_is_taken() {
    let arrivals = [day(1, 1, 2), day(2, 1, 2), pull(3, 2), pull(3, 2), day(2, 1, 2)];
    let logged = [("a", CREATED), ("b", UPDATED), ("c", COMPLETED)];
    let received = vec![
        of_day("a", CREATED, 1, 1),
        event("c", COMPLETED, 2, json!([{"value": 7001}])),
        of_day("b", UPDATED, 1, 2),
        of_day("a", CREATED, 1, 1),
    ];
    run(&arrivals, &logged, received).expect("nothing is wrong");
}

#[test]
fn the_log_must_have_what_arrived_and_no_more() {
    let one = [day(1, 1, 2)];
    assert_found(run(&one, &[], Vec::new()), "its event is not in the log");
    assert_found(run(&one, &[("a", UPDATED)], Vec::new()), "in place of");
    let twice = [("a", CREATED), ("b", CREATED)];
    assert_found(run(&one, &twice, Vec::new()), "no arrival caused");
    let repeated = [day(1, 2, 2), day(2, 2, 2), day(1, 2, 2)];
    let thrice = [("a", CREATED), ("b", UPDATED), ("c", UPDATED)];
    assert_found(run(&repeated, &thrice, Vec::new()), "no arrival caused");
    let pulled = [pull(1, 1), pull(1, 1)];
    assert_found(
        run(&pulled, &[("a", COMPLETED), ("b", COMPLETED)], Vec::new()),
        "no arrival caused",
    );
}

#[test]
fn the_destination_must_get_the_log_and_no_more() {
    let one = [day(1, 1, 2)];
    let logged = [("a", CREATED)];
    let good = || of_day("a", CREATED, 1, 1);
    assert_found(run(&one, &logged, Vec::new()), "a is missing");
    let failed = Received { kept: false, ..good() };
    assert_found(run(&one, &logged, vec![failed]), "a is missing");
    let other = of_day("a", CREATED, 1, 2);
    assert_found(run(&one, &logged, vec![good(), other.clone()]), "says something else");
    assert_found(run(&one, &logged, vec![other]), "in place of");
    let another_user = of_day("a", CREATED, 2, 1);
    assert_found(run(&one, &logged, vec![another_user]), "in place of");
    let unknown = of_day("z", CREATED, 1, 1);
    assert_found(run(&one, &logged, vec![good(), unknown]), "is not in the log");
    let two = [day(1, 1, 2), day(2, 1, 3)];
    let turned = vec![of_day("b", CREATED, 1, 2), of_day("a", CREATED, 1, 1)];
    let outcome = run(&two, &[("a", CREATED), ("b", CREATED)], turned);
    assert_found(outcome, "before an earlier event of its user");
}

#[test]
fn what_was_not_acknowledged_may_be_taken_or_not() {
    for ids in [false, true] {
        let user = if ids { 2 } else { 1 };
        let (first, second) = (day(1, user, 2), day(2, user, 2));
        let unacknowledged = VecDeque::from([first, second]);
        for taken in 0..=2 {
            let mut ledger = Ledger::new(0..8);
            let logged = log(&[("a", CREATED), ("b", UPDATED)]);
            let beyond = [first, second];
            ledger
                .logged(logged[..taken].to_vec(), &beyond)
                .expect("any number of them");
            ledger
                .ended(&BTreeMap::new(), &unacknowledged)
                .expect("nothing was refused");
            // The arrivals are sent again, and acknowledged.
            ledger.acknowledged(&beyond);
            // Without ids, data that change and change back cause more events.
            let completed = if taken == 2 && !ids { 4 } else { 2 };
            assert_eq!(ledger.expected.len(), completed, "{taken} taken, ids: {ids}");
        }
    }
}

#[test]
fn bad_lines_are_reported_and_good_ones_are_not() {
    let bad = Arrival {
        number: 1,
        user: 1,
        kind: Kind::Bad(Badness::Cut),
    };
    let ended = |refused: &[u64]| {
        let mut ledger = Ledger::new(0..8);
        ledger.acknowledged(&[day(1, 1, 2), bad]);
        let refused = refused.iter().map(|line| (*line, String::new())).collect();
        ledger.ended(&refused, &VecDeque::new())
    };
    ended(&[2, 9]).expect("the bad line, and one that was not acknowledged");
    assert_found(ended(&[]), "was not reported");
    assert_found(ended(&[1, 2]), "is good");
}
