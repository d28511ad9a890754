//! Calls every operation of the documents of features: the implementer receives the values that the client sends, and the
//! client those of the implementer.
//!
//! `operations.rs` and `operations.json` are made of the generated crates and of the document.
#![allow(deprecated, reason = "what is deprecated is tested as well")]

mod calls;
mod conditional;
mod instances;
mod operations;
mod outside;
mod security;
mod service;
mod statuses;
mod streams;
mod uploads;

use calls::{CASES, Pair};
use instances::Instances;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

#[test]
fn a_body_that_breaks_a_rule_is_refused_with_its_location() {
    let described: Value = serde_json::from_str(include_str!("operations.json")).expect("JSON");
    let instances = Instances::sent(&described["document"]);
    let pair = Pair::new();
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for operation in described["operations"].as_array().expect("operations") {
        let id = operation["id"].as_str().expect("an id");
        let body = operation["fields"].as_array().into_iter().flatten().find(|field| field["in"] == "body");
        // The implementer gets the values of a stream that were sent before.
        let Some(body) = body.filter(|body| body["schema"].get("default").is_none()) else {
            continue;
        };
        for _ in 0..CASES {
            let mut sent = calls::input(&instances, operation).new_tree(&mut runner).expect("a value").current();
            let Some(value) = sent.get("body").cloned() else { continue };
            for outside in outside::outside(&instances, &body["schema"], &value) {
                sent.insert("body".to_owned(), outside.value.clone());
                count += 1;
                let location = format!("/body{}", outside.pointer);
                let outcome = pair.call(id, &sent, &Value::Null);
                let failure = outcome.as_ref().err().and_then(wearlab_client::Error::failure);
                let noted = failure.is_some_and(|failure| {
                    failure.status() == 422 && failure.violations().iter().any(|one| one.location == location)
                });
                if !noted || !pair.service.recorded().is_null() {
                    wrong.push(format!("{id}: {location}: {outcome:?}\n  sent: {}", outside.value));
                }
            }
        }
    }
    assert!(count > 200, "only {count} values");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

#[test]
fn what_is_sent_is_what_arrives() {
    let described: Value = serde_json::from_str(include_str!("operations.json")).expect("JSON");
    let instances = Instances::sent(&described["document"]);
    let received = Instances { hidden: "writeOnly", ..instances };
    let pair = Pair::new();
    let all = described["operations"].as_array().expect("operations");
    assert!(!all.is_empty());
    let wrong = all.iter().filter_map(|operation| {
        pair.compare(operation, calls::input(&instances, operation), calls::answers(&received, operation))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
