//! TLS, and certificates that change at run time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use wearlab::config::log::LogFormat;
use wearlab_client::{Client, ClientBuilder, Error, RetryPolicy};
use wearlab_http::settings::{HttpSettings, Timeouts, TlsSettings};

use super::log::listen;
use super::odd::Served;
use super::{connect, receive, say};

const REQUEST: &str = "GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// Writes a self-signed certificate and its key.
fn write(directory: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(directory.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    std::fs::write(directory.join("cert.pem"), made.cert.pem()).expect("written");
    made.cert.der().clone()
}

/// Returns the response to a client that trusts only this certificate.
async fn ask(url: &str, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let stream = connect(&url.replace("https", "http")).await;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    Ok(say(stream, REQUEST).await)
}

async fn served(directory: &Path) -> Served {
    Served::start(settings(directory, true)).await
}

fn settings(directory: &Path, management: bool) -> HttpSettings {
    let at = |name: &str| -> PathBuf { directory.join(name) };
    HttpSettings {
        tls: Some(TlsSettings {
            certificate: at("cert.pem"),
            key: at("key.pem"),
            check_every: Duration::from_millis(50),
            management,
        }),
        timeouts: Timeouts {
            header: Duration::from_secs(3),
            ..Timeouts::default()
        },
        ..HttpSettings::default()
    }
}

#[tokio::test]
async fn certificates_are_used_and_changed_while_it_runs() {
    let (lines, _guard) = listen("info", LogFormat::Text);
    let directory = tempfile::tempdir().expect("a directory");
    let first = write(directory.path());
    let served = served(directory.path()).await;
    assert!(served.url.starts_with("https://"));
    let received = ask(&served.url, &first).await.expect("TLS");
    assert!(
        received.starts_with("HTTP/1.1 200") && received.ends_with("alive\n"),
        "{received}"
    );

    // An invalid file, and a key that does not match, change nothing.
    let good = std::fs::read(directory.path().join("key.pem")).expect("a key");
    for bad in [
        "not a key".to_owned(),
        rcgen::KeyPair::generate().expect("a key").serialize_pem(),
    ] {
        std::fs::write(directory.path().join("key.pem"), bad).expect("written");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(ask(&served.url, &first).await.expect("TLS").starts_with("HTTP/1.1 200"));
    }
    std::fs::write(directory.path().join("key.pem"), good).expect("written");

    let second = write(directory.path());
    let begun = Instant::now();
    while ask(&served.url, &second).await.is_err() {
        assert!(begun.elapsed() < super::TIMEOUT, "the new certificate is used");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(ask(&served.url, &first).await.is_err(), "the old one is gone");
    let text = lines.text();
    assert!(text.contains("the old one stays") && text.contains("key.pem"), "{text}");
    assert_eq!(text.matches("holds no PEM private key").count(), 1, "said once");
    assert!(!text.contains("PRIVATE KEY-"), "{text}");
}

#[tokio::test]
async fn a_client_trusts_the_certificates_that_it_is_given() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path());
    let served = served(directory.path()).await;
    let url = served.url.replace("127.0.0.1", "localhost");
    let builder = || Client::builder().base_url(&url).api_key("k").retry(RetryPolicy::none());
    let call = async |builder: ClientBuilder| {
        let client = builder.build().expect("a client");
        client.list_users().send().await.map(drop)
    };
    let error = call(builder()).await.expect_err("nobody vouches for it");
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    let pem = std::fs::read(directory.path().join("cert.pem")).expect("a certificate");
    let answered = call(builder().root_certificates(pem)).await;
    assert!(
        !matches!(answered, Err(Error::Transport(_) | Error::Timeout(_))),
        "{answered:?}"
    );
    let error = builder().root_certificates("nonsense").build().expect_err("no PEM");
    assert!(error.to_string().contains("no certificate"), "{error}");
}

#[tokio::test]
async fn what_is_no_tls_is_cut_and_disturbs_nobody() {
    let directory = tempfile::tempdir().expect("a directory");
    let certificate = write(directory.path());
    let served = served(directory.path()).await;
    let plain = served.url.replace("https", "http");
    let received = say(connect(&plain).await, REQUEST).await;
    assert!(!received.contains("HTTP/1.1"), "{received}");
    // A client without a handshake is cut, too.
    receive(&mut connect(&plain).await).await;
    assert!(
        ask(&served.url, &certificate)
            .await
            .expect("TLS")
            .starts_with("HTTP/1.1 200")
    );
}

#[tokio::test]
async fn the_management_side_speaks_tls_unless_disabled() {
    let directory = tempfile::tempdir().expect("a directory");
    let certificate = write(directory.path());
    for management in [true, false] {
        let settings = HttpSettings {
            management_listen: Some(HttpSettings::default().listen),
            ..settings(directory.path(), management)
        };
        let served = Served::start(settings).await;
        let scheme = if management { "https://" } else { "http://" };
        assert!(served.management_url.starts_with(scheme), "{}", served.management_url);
        let over_tls = ask(&served.management_url, &certificate).await;
        assert_eq!(
            over_tls.is_ok_and(|received| received.starts_with("HTTP/1.1 200")),
            management
        );
        let plain = say(connect(&served.management_url.replace("https", "http")).await, REQUEST).await;
        assert_eq!(plain.starts_with("HTTP/1.1 200"), !management, "{plain}");
        // The public API always speaks it.
        let received = ask(&served.url, &certificate).await.expect("TLS");
        assert!(received.starts_with("HTTP/1.1 404"), "{received}");
    }
}
