//! Servers with TLS, and certificates of other names.

use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use wearlab_delivery::Outcome;

use crate::peer::Peer;
use crate::{deliver, down, message, settings};

/// TLS in front of a server, with a self-signed certificate for `localhost`: the port, and the certificate.
async fn before(peer: &Peer) -> (u16, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a certificate and its key");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let upstream = peer.url.trim_start_matches("http://").to_owned();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut near) = acceptor.accept(stream).await else {
                continue;
            };
            let mut far = TcpStream::connect(&upstream).await.expect("the server is there");
            tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await });
        }
    });
    (port, made.cert.pem().into_bytes())
}

#[tokio::test]
async fn certificates_must_be_trusted_and_for_the_name() {
    let peer = Peer::start().await;
    let (port, pem) = before(&peer).await;
    let (name, address) = (format!("https://localhost:{port}"), format!("https://127.0.0.1:{port}"));
    let trusting = |url| settings(url).trusting(vec![pem.clone()]);
    assert_eq!(deliver(&trusting(&name), message("evt_1")).await, Outcome::Delivered);
    for settings in [settings(&name), trusting(&address)] {
        let reason = down(deliver(&settings, message("evt_2")).await);
        assert!(
            reason.starts_with("no connection: ") && reason.contains("certificate"),
            "{reason}"
        );
    }
    let reason = down(deliver(&settings(&peer.url.replace("http", "https")), message("evt_3")).await);
    assert!(reason.starts_with("no connection: "), "{reason}");
    assert_eq!(peer.sent().len(), 1);
}

#[tokio::test]
async fn roots_that_cannot_be_read_are_said() {
    let pem = "-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n";
    let settings = settings("https://localhost:1").trusting(vec![pem.into()]);
    let reason = down(deliver(&settings, message("evt_1")).await);
    assert!(reason.contains("certificates"), "{reason}");
    assert!(!reason.contains("aHVudGVyMg"), "{reason}");
}
