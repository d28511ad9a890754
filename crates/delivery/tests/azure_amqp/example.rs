//! The example of a consumer: events that it handles, without their values in its output.

use serde_json::json;
use wearlab_delivery::{Kinds, Message, Outcome};

use super::consumer::{Consumers, Dispatched, unknown};
use super::peers::EventHubs;
use super::{block, deliver, local, namespace, settings};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn the_example_consumes_what_the_dispatcher_sends() {
    let hubs = EventHubs::start(&["events"]);
    let directory = tempfile::tempdir().expect("a directory");
    let hub = hubs.listening("events");
    let positions = ["0", "1"].map(|partition| directory.path().join(partition).display().to_string());
    let start = || {
        let of = |partition, position| [("EVENT_HUB", &*hub), ("PARTITION", partition), ("POSITION", position)];
        Consumers::start(&[&of("0", &*positions[0]), &of("1", &*positions[1])])
    };
    let consumers = start();
    let block = block(&hubs.connection_string(), json!({"compression": "always"}));
    let set = |kinds: &mut Kinds| {
        kinds.azure_amqp = settings();
        kinds.egress.hosts = local();
    };
    let dispatched = Dispatched::to("azure_amqp", &block, set).await;
    consumers.print(&dispatched.messages);

    // All events once more, as after a crash, and a new one.
    let again = [dispatched.messages.clone(), vec![unknown()]].concat();
    let namespace = namespace(&hubs.connection_string(), json!({}));
    assert_eq!(deliver(&namespace, &again).await, vec![Outcome::Delivered; again.len()]);
    let new: &[Message] = &again[dispatched.messages.len()..];
    consumers.print(new);

    // New processes without state continue at the saved positions.
    drop(consumers);
    let consumers = start();
    let new = [unknown()];
    assert_eq!(deliver(&namespace, &new).await, [Outcome::Delivered]);
    consumers.print(&new);
}
