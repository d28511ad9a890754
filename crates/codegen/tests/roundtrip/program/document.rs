//! Calls every operation of a third-party document: the implementer receives the values that the client sends, and the
//! client those of the implementer. The values are drawn from the schemas, and those of the document's own examples.
//!
//! `operations.rs`, `operations.json` and `schemas.rs` are made of the generated crates and of the document.
#![allow(deprecated, reason = "what is deprecated is tested as well")]
#![allow(dead_code, reason = "not all documents have all forms of responses")]

mod calls;
mod examples;
mod instances;
mod operations;
mod schemas;
mod service;
mod streams;

use calls::Pair;
use examples::{Examples, difference};
use instances::Instances;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

fn described() -> Value {
    serde_json::from_str(include_str!("operations.json")).expect("JSON")
}

fn operations(described: &Value) -> impl Iterator<Item = &Value> {
    described["operations"].as_array().into_iter().flatten()
}

/// The values of responses, with some that enums do not list.
fn received(document: &Value) -> Instances<'_> {
    Instances {
        hidden: "writeOnly",
        open: true,
        ..Instances::sent(document)
    }
}

fn runner() -> TestRunner {
    TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Fails with the first faults of a kind, or prints the count of what was compared.
fn conclude(subject: &str, count: usize, faults: &[String]) {
    let shown = faults[..faults.len().min(40)].join("\n");
    assert!(faults.is_empty(), "{} of {count} {subject}:\n{shown}", faults.len());
    println!("{count} {subject}");
}

#[test]
fn drawn_values_arrive() {
    let described = described();
    let document = &described["document"];
    let (sent, received) = (Instances::sent(document), received(document));
    let pair = Pair::new();
    let all: Vec<_> = operations(&described).collect();
    let faults = all.iter().filter_map(|operation| {
        let input = calls::input(&sent, operation);
        let valid = examples::Validity::of_body(document, operation);
        let input = input.prop_filter("a valid body", move |input| valid.holds(input));
        pair.compare(operation, input.boxed(), calls::answers(&received, operation))
    });
    let faults: Vec<_> = faults.collect();
    conclude("operations", all.len(), &faults);
}

#[test]
fn examples_arrive() {
    let described = described();
    let document = &described["document"];
    let (instances, pair, mut runner) = (Instances::sent(document), Pair::new(), runner());
    let examples = Examples { document };
    let (mut faults, mut count) = (Vec::new(), 0);
    for operation in operations(&described) {
        let id = operation["id"].as_str().expect("an id");
        let mut draw = |body: Option<&Value>| {
            let input = calls::input(&instances, operation).new_tree(&mut runner).expect("a value");
            let mut input: Map<_, _> = input.current();
            input.extend(body.map(|body| ("body".to_owned(), body.clone())));
            input
        };
        let answers = calls::answers(&received(document), operation);
        let mut drawn = self::runner();
        for body in operation["examples"]["body"].as_array().into_iter().flatten() {
            count += 1;
            let answer = answers.new_tree(&mut drawn).expect("a value").current();
            if let Err(error) = pair.call(id, &draw(Some(body)), &answer) {
                let violations = error.failure().map(|failure| failure.violations().to_vec());
                faults.push(format!("{id}: {error}: {violations:?}\n  sent: {body}"));
                continue;
            }
            let field = operation["fields"].as_array().into_iter().flatten().find(|field| field["name"] == "body");
            let schema = &field.expect("a body")["schema"];
            if let Some(difference) = difference(&examples, schema, body, &pair.service.recorded()["body"]) {
                faults.push(format!("{id}: the body that arrived {difference}\n  sent: {body}"));
            }
        }
        let valid = examples::Validity::of_body(document, operation);
        for example in operation["examples"]["answers"].as_array().into_iter().flatten() {
            let mut sent = draw(None);
            if !valid.holds(&sent) {
                sent.remove("body");
            }
            count += 1;
            let (index, body) = (example["index"].as_u64().expect("an index") as usize, &example["value"]);
            let answer = examples::answer(operation, &example["kind"], index, body);
            let Some(answer) = answer else { continue };
            let received = match pair.call(id, &sent, &answer) {
                Ok(received) => received,
                Err(error) => {
                    faults.push(format!("{id}: {error}\n  answered: {body}"));
                    continue;
                }
            };
            let received = if answer == *body { received } else { received["body"].clone() };
            if let Some(difference) = difference(&examples, &example["schema"], body, &received) {
                faults.push(format!("{id}: the body that was received {difference}\n  answered: {body}"));
            }
        }
    }
    conclude("examples of bodies", count, &faults);
}

#[test]
fn examples_of_schemas_keep_their_values() {
    let described = described();
    let document = &described["document"];
    let examples = Examples { document };
    let mut runner = runner();
    let all = described["schemas"].as_array().expect("examples");
    let faults = all.iter().filter_map(|example| {
        let name = example["schema"].as_str().expect("a name");
        let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        let value = match example["member"].as_str() {
            None => example["value"].clone(),
            // A drawn value with this member.
            Some(member) => {
                let mut whole = Instances::sent(document).of(&schema).new_tree(&mut runner).expect("a value").current();
                whole[member] = example["value"].clone();
                whole
            }
        };
        match schemas::decoded(name, &value) {
            Err(error) => Some(format!("{name}: {error}: {value}")),
            Ok(decoded) => {
                let difference = difference(&examples, &schema, &value, &decoded)?;
                Some(format!("{name}: the value {difference}\n  read: {value}"))
            }
        }
    });
    let faults: Vec<_> = faults.collect();
    conclude("examples of schemas", all.len(), &faults);
}
