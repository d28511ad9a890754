//! Forbidden brokers and storage accounts: no connection is made, and errors do not describe the network.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::Utc;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_delivery::egress::Policy;
use wearlab_delivery::{Destination, Message, Outcome, azure_amqp, rabbitmq};
use wearlab_models::Uuid;

/// Starts a server that counts connections and redirects each to `to`. Returns its port.
async fn listening(to: Option<String>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let to = to.clone();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                if let Some(to) = to {
                    let response =
                        format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
                    let _ = stream.write_all(response.as_bytes()).await;
                }
            });
        }
    });
    (port, count)
}

/// A port without a listener.
async fn closed() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    listener.local_addr().expect("an address").port()
}

fn message() -> Message {
    Message {
        event_id: "evt-1".to_owned(),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: None,
        created_on: Utc::now().fixed_offset(),
        payload: "{}".into(),
    }
}

fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Down { reason } | Outcome::Retry { reason, .. } => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

async fn of_rabbitmq(uri: &str, policy: Policy) -> String {
    let block = serde_json::from_value(json!({"uri": uri, "exchange": "e"})).expect("a block");
    let settings = rabbitmq::Settings {
        policy,
        ..rabbitmq::Settings::default()
    };
    let exchange = rabbitmq::Exchange::new(&block, settings).expect("an exchange");
    reason(&exchange.check(&message()).await[0].outcome)
}

/// The reasons of the hub and of the container.
async fn of_azure(hub: &str, blobs: &str, policy: Policy) -> [String; 2] {
    let block = json!({
        "connection_string": format!("Endpoint=sb://{hub};SharedAccessKeyName=k;SharedAccessKey=s"),
        "default_event_hub": "hub", "compression": "none",
        "event_hub_matchers": [{"event_type_prefix": "daily.", "blob_storage": {"container_name": "abc",
            "connection_string": format!("AccountName=a;AccountKey=bXNn;BlobEndpoint={blobs}")}}],
    });
    let block = serde_json::from_value(block).expect("a block");
    let settings = azure_amqp::Settings {
        policy,
        connect_timeout: Duration::from_secs(5),
        confirm_timeout: Duration::from_secs(5),
        ..azure_amqp::Settings::default()
    };
    let namespace = azure_amqp::Namespace::new(&block, settings).expect("a namespace");
    let checked = namespace.check(&message()).await;
    [reason(&checked[0].outcome), reason(&checked[1].outcome)]
}

#[tokio::test]
async fn open_and_closed_ports_are_the_same_and_nobody_is_connected_to() {
    let ((open, count), closed) = (listening(None).await, closed().await);
    for host in ["127.0.0.1", "localhost", "127.1", "2130706433"] {
        for policy in [
            Policy::default(),
            Policy {
                allow_plaintext: true,
                allow_networks: vec!["10.0.0.0/8".parse().expect("a network")],
                ..Policy::default()
            },
        ] {
            let uris = [open, closed].map(|port| format!("amqps://{host}:{port}"));
            let [of_open, of_closed] = [&uris[0], &uris[1]].map(|uri| of_rabbitmq(uri, policy.clone()));
            assert_eq!(of_open.await, of_closed.await, "{host}");
            let endpoints =
                [open, closed].map(|port| (format!("{host}:{port}/"), format!("https://{host}:{port}/any/path")));
            let [of_open, of_closed] =
                [&endpoints[0], &endpoints[1]].map(|(hub, blobs)| of_azure(hub, blobs, policy.clone()));
            assert_eq!(of_open.await, of_closed.await, "{host}");
        }
    }
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let reason = of_rabbitmq(&format!("amqps://127.0.0.1:{open}"), Policy::default()).await;
    assert!(reason.contains("`egress.allow_networks`"), "{reason}");
}

#[tokio::test]
async fn a_storage_account_leads_nowhere_else() {
    let (target, count) = listening(None).await;
    let (open, asked) = listening(Some(format!("http://127.0.0.1:{target}/abc"))).await;
    let local = Policy {
        allow_plaintext: true,
        allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
        ..Policy::default()
    };
    of_azure("127.0.0.1:1/", &format!("http://127.0.0.1:{open}"), local).await;
    assert_eq!((asked.load(Ordering::SeqCst), count.load(Ordering::SeqCst)), (1, 0));
}
