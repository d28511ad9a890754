//! TLS with a namespace, and the check of its certificate.

use std::sync::Arc;

use serde_json::json;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use wearlab_delivery::Outcome;
use wearlab_delivery::azure_amqp::{Namespace, Settings};

use super::peers::{EventHubs, connection_string};
use super::relay::Relay;
use super::{block, deliver, message, reason, settings};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the peers that .ci/azure_amqp installs"]
async fn tls_is_spoken_and_checked() {
    let hubs = EventHubs::start(&["events"]);
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .expect("a configuration");
    let relay = Relay::start(hubs.port, Some(TlsAcceptor::from(Arc::new(config)))).await;
    let text = connection_string(relay.port).replace("127.0.0.1", "localhost");
    let text = text.replace("UseDevelopmentEmulator=true", "");

    let trusting = Settings {
        extra_roots: vec![certified.cert.pem().into_bytes()],
        ..settings()
    };
    let namespace = Namespace::new(&block(&text, json!({})), trusting).expect("a namespace");
    assert_eq!(deliver(&namespace, &[message(1, 0)]).await, [Outcome::Delivered]);
    assert_eq!(hubs.receive("events").exactly(1).len(), 1);

    let outcomes = deliver(&super::namespace(&text, json!({})), &[message(1, 1)]).await;
    assert!(reason(&outcomes[0], "Down").starts_with("no TLS with the namespace: invalid peer certificate"));
}
