//! The example of a consumer: events that it handles, without their values in its output.

use serde_json::{Value, json};
use wearlab_delivery::egress::Projects;
use wearlab_delivery::{Destination, Kinds};

use super::consuming::{Consumers, Dispatched, unknown};
use super::{PROJECT, all_delivered, block, number, settings, topic, variable};

/// Creates an object at the emulator.
async fn make(emulator: &str, path: &str, body: Value) {
    let request = reqwest::Client::new().put(format!("http://{emulator}/v1/{path}"));
    let request = request
        .header("content-type", "application/json")
        .body(body.to_string());
    let response = request.send().await.expect("the emulator answers");
    assert!(response.status().is_success(), "{path}: {}", response.status());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Google's emulator"]
async fn the_example_consumes_what_the_dispatcher_sends() {
    let emulator = variable("PUBSUB_EMULATOR");
    for ordered in [true, false] {
        let name = format!("example-{}", number());
        let path = format!("projects/{PROJECT}/topics/{name}");
        make(&emulator, &path, json!({})).await;
        let subscription = format!("projects/{PROJECT}/subscriptions/{name}");
        let body = json!({"topic": path, "enableMessageOrdering": ordered});
        make(&emulator, &subscription, body).await;

        let variables = [
            ("PUBSUB_EMULATOR_HOST", &*emulator),
            ("PUBSUB_SUBSCRIPTION", &subscription),
        ];
        let consumers = Consumers::start(&[&variables]);
        let block = block(&name, ordered);
        let set = |kinds: &mut Kinds| {
            kinds.cloud_pubsub = settings(&emulator);
            kinds.egress.projects = Projects::Any;
        };
        let dispatched = Dispatched::to("cloud_pubsub", &block, set).await;
        consumers.print(&dispatched.messages);

        // All events once more, as after a crash, and a new one.
        let again = [dispatched.messages.clone(), vec![unknown()]].concat();
        let outcomes = topic(&emulator, &name, ordered).deliver(&again).await;
        assert!(all_delivered(&outcomes), "{outcomes:?}");
        consumers.print(&again[dispatched.messages.len()..]);
    }
}
