//! Logins, and certificates of servers.

use serde_json::{Value, json};
use wearlab_delivery::nats::{Settings, Subject};
use wearlab_delivery::{Destination, Outcome};

use super::client::create_events;
use super::server::Server;
use super::{block, down, message, settings, subject};

/// An nkey of the tests.
const PUBLIC_KEY: &str = "UAIJSG5EN7YPINU7HFGKQP27IOHLAAODIW7XBI77VKKUFRYMRN6UOSPK";
const SEED: &str = "SUAMG42WUJRS2VI53ZRLENFMHWQBR5BFXHANWI7BY7QCBWF4S34LQSFDWQ";
/// Seed of another.
const OTHER_SEED: &str = "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM";

async fn send(url: &str, change: &Value) -> Vec<Outcome> {
    subject(url, change).deliver(&[message(1, "evt-1")]).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_token_logs_in() {
    let server = Server::with("authorization { token: s3cret }").await;
    create_events(&server.url_of("s3cret@")).await;
    assert_eq!(send(&server.url_of("s3cret@"), &json!({})).await, [Outcome::Delivered]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn an_nkey_logs_in() {
    let server = Server::with(&format!(
        "authorization {{ users = [{{ nkey: {PUBLIC_KEY} }}, {{ user: wearlab, password: pw-4711 }}] }}"
    ))
    .await;
    create_events(&server.url()).await;
    let sent = async |seed: &str| send(&server.url_of(""), &json!({"credentials": seed})).await;
    assert_eq!(sent(SEED).await, [Outcome::Delivered]);
    assert!(down(&sent(OTHER_SEED).await).starts_with("the server rejected the login"));
}

#[test]
fn a_mistyped_seed_is_refused_when_the_destination_is_made() {
    let change = json!({"credentials": SEED.replace("VI53", "VI54")});
    let error = Subject::new(&block("nats://127.0.0.1", &change), settings()).expect_err("no seed");
    assert_eq!(error.field, "nats.credentials");
    assert!(error.to_string().contains("its checksum is wrong"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_refused_login_is_not_sent_to_further_servers() {
    let server = Server::start().await;
    let next = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = next.local_addr().expect("an address").port();
    let accepted = tokio::spawn(async move { next.accept().await });
    let url = format!("{},nats://127.0.0.1:{port}", server.url_of("wearlab:wrong@"));
    let outcomes = send(&url, &json!({})).await;
    assert!(
        down(&outcomes).starts_with("the server rejected the login"),
        "{outcomes:?}"
    );
    assert!(!accepted.is_finished(), "the next server got the login");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn roots_that_are_not_pem_matter_for_tls_alone() {
    let server = Server::start().await;
    create_events(&server.url()).await;
    let at = |url: String| {
        let settings = Settings {
            extra_roots: vec![b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n".to_vec()],
            ..settings()
        };
        Subject::new(&block(&url, &json!({})), settings).expect("a subject")
    };
    let outcomes = at(server.url()).deliver(&[message(1, "evt-1")]).await;
    assert_eq!(outcomes, [Outcome::Delivered]);
    let outcomes = at(server.url().replace("nats:", "tls:"))
        .deliver(&[message(1, "evt-2")])
        .await;
    assert!(down(&outcomes).contains("`extra_roots` is not PEM"), "{outcomes:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_credentials_file_logs_in() {
    let credentials = include_str!("user.creds");
    let server = Server::with(include_str!("operator.conf")).await;
    let options = async_nats::ConnectOptions::with_credentials(credentials).expect("credentials");
    let client = options.connect(server.url_of("")).await.expect("a connection");
    let context = async_nats::jetstream::new(client);
    let config = async_nats::jetstream::stream::Config {
        name: "EVENTS".to_owned(),
        subjects: vec!["events.>".to_owned()],
        ..Default::default()
    };
    context.create_stream(config).await.expect("a stream");
    let change = json!({"credentials": credentials});
    assert_eq!(send(&server.url_of(""), &change).await, [Outcome::Delivered]);
    let outcomes = send(&server.url_of(""), &json!({})).await;
    assert!(
        down(&outcomes).starts_with("the server rejected the login"),
        "{outcomes:?}"
    );

    let seed = credentials.lines().find(|line| line.starts_with("SU")).expect("a seed");
    let change = json!({"credentials": credentials.replace(seed, "SUhunter2")});
    let error = Subject::new(&block("nats://127.0.0.1", &change), settings()).expect_err("no seed");
    assert_eq!(error.field, "nats.credentials");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn tls_trusts_what_the_operator_trusts_for_the_host_of_the_url() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("cert.pem"), made.cert.pem()).expect("writes");
    std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).expect("writes");
    let server = Server::with(&format!(
        "allow_non_tls: true\ntls {{ cert_file: \"{}\", key_file: \"{}\" }}",
        path("cert.pem").display(),
        path("key.pem").display(),
    ))
    .await;
    create_events(&server.url_of("")).await;
    let at = |host: &str, roots: Vec<Vec<u8>>| {
        let settings = Settings {
            extra_roots: roots,
            ..settings()
        };
        let url = format!("tls://{host}:{}", server.port);
        Subject::new(&block(&url, &json!({})), settings).expect("a subject")
    };
    let roots = vec![made.cert.pem().into_bytes()];
    let trusted = at("localhost", roots.clone()).deliver(&[message(1, "evt-1")]).await;
    assert_eq!(trusted, [Outcome::Delivered]);
    for destination in [at("localhost", Vec::new()), at("127.0.0.1", roots)] {
        let outcomes = destination.deliver(&[message(1, "evt-2")]).await;
        assert!(down(&outcomes).contains("certificate"), "{outcomes:?}");
    }
}
