//! Endpoints with TLS, and certificates of other names.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use wearlab_delivery::Outcome;
use wearlab_delivery::webhook::{Sender, Settings};

use super::{deliver, loopback, now, retried};

/// A receiver with a self-signed certificate for a name: its port, and the certificate.
async fn start(name: &str) -> (u16, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
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
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
        }
    });
    (port, made.cert.pem().into_bytes())
}

fn trusting(pem: Vec<u8>) -> Settings {
    Settings {
        allow_http: false,
        extra_roots: vec![pem],
        ..loopback()
    }
}

#[tokio::test]
async fn certificates_must_be_trusted_and_for_the_name() {
    let (port, pem) = start("localhost").await;
    let url = format!("https://localhost:{port}/");
    assert_eq!(deliver(trusting(pem.clone()), &url).await, Outcome::Delivered);

    let reason = retried(deliver(loopback(), &url).await);
    assert!(
        reason.starts_with("no connection: ") && reason.contains("certificate"),
        "{reason}"
    );

    let by_address = format!("https://127.0.0.1:{port}/");
    let reason = retried(deliver(trusting(pem), &by_address).await);
    assert!(
        reason.starts_with("no connection: ") && reason.contains("certificate"),
        "{reason}"
    );

    let no_tls = super::receiver::says("HTTP/1.1 200 OK\r\n\r\n").await;
    let reason = retried(deliver(loopback(), &no_tls.replace("http", "https")).await);
    assert!(reason.starts_with("no connection: "), "{reason}");
}

#[test]
fn roots_that_cannot_be_read_are_an_error() {
    let pem = "-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n";
    let error = Sender::new(trusting(pem.into()), now).expect_err("no certificate");
    let shown = format!("{error} {error:?}");
    assert!(
        shown.contains("extra_roots") && !shown.contains("aHVudGVyMg"),
        "{shown}"
    );
}
