//! The example of a consumer: events that it handles, without their values in its output.

use wearlab_delivery::{Destination, Outcome};

use super::client::Client;
use super::consumer::{Consumers, Dispatched, unknown};
use super::{block, broker, exchange, local};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs RabbitMQ"]
async fn the_example_consumes_what_the_dispatcher_sends() {
    let _turn = broker::shared().await;
    let (uri, name) = (broker::uri(), Client::start().topology());
    let consumers = Consumers::start(&[&[("AMQP_URI", &uri), ("AMQP_QUEUE", &name)]]);
    let dispatched = Dispatched::to("rabbitmq", &block(&uri, &name), |kinds| kinds.egress.hosts = local()).await;
    consumers.print(&dispatched.messages);

    // All events once more, as after a crash, and a new one.
    let again = [dispatched.messages.clone(), vec![unknown()]].concat();
    let outcomes = exchange(&uri, &name).deliver(&again).await;
    assert_eq!(outcomes, vec![Outcome::Delivered; again.len()]);
    consumers.print(&again[dispatched.messages.len()..]);

    drop(consumers);
    assert!(Client::start().take_all(&name).is_empty(), "all is acknowledged");
}
