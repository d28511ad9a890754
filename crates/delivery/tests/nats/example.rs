//! The example of a consumer: events that it handles, without their values in its output.

use serde_json::json;
use wearlab_delivery::{Destination, Outcome};

use super::client::{create_events, jetstream};
use super::consumer::{Consumers, Dispatched, unknown};
use super::server::Server;
use super::{block, local, subject};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn the_example_consumes_what_the_dispatcher_sends() {
    // The password has characters that are percent-encoded in URLs.
    let server = Server::with("authorization { users = [{ user: wearlab, password: \"pw@/4711\" }] }").await;
    let url = server.url_of("wearlab:pw%40%2F4711@");
    create_events(&url).await;
    let config = async_nats::jetstream::consumer::pull::Config {
        durable_name: Some("example".to_owned()),
        ..Default::default()
    };
    let context = jetstream(&url).await;
    context
        .create_consumer_on_stream(config, "EVENTS")
        .await
        .expect("a consumer");
    let consumers = Consumers::start(&[&[
        ("NATS_URL", &url),
        ("NATS_STREAM", "EVENTS"),
        ("NATS_CONSUMER", "example"),
    ]]);
    let dispatched = Dispatched::to("nats", &block(&url, &json!({})), |kinds| kinds.egress.hosts = local()).await;
    consumers.print(&dispatched.messages);

    // All events once more, as after a crash, and a new one.
    let again = [dispatched.messages.clone(), vec![unknown()]].concat();
    let outcomes = subject(&url, &json!({})).deliver(&again).await;
    assert_eq!(outcomes, vec![Outcome::Delivered; again.len()]);
    consumers.print(&again[dispatched.messages.len()..]);
}
