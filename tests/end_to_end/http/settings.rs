//! Invalid settings: they are reported before anything is served.

use std::time::Duration;

use wearlab::serve::Server;
use wearlab_http::settings::{CorsSettings, HttpSettings, Limits, Timeouts, TlsSettings};

async fn refused(settings: HttpSettings) -> String {
    let listen = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let bound = Server::bind(HttpSettings { listen, ..settings }).await;
    bound.err().expect("it cannot be").to_string()
}

#[tokio::test]
async fn a_setting_that_cannot_be_is_named_with_its_value() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        HttpSettings {
            limits,
            ..HttpSettings::default()
        }
    };
    let times = |change: fn(&mut Timeouts)| {
        let mut timeouts = Timeouts::default();
        change(&mut timeouts);
        HttpSettings {
            timeouts,
            ..HttpSettings::default()
        }
    };
    let cors = |origin: &str| HttpSettings {
        cors: Some(CorsSettings {
            origins: vec![origin.to_owned()],
            max_age: Duration::ZERO,
        }),
        ..HttpSettings::default()
    };
    let prefix = HttpSettings {
        header_prefix: "Acme".to_owned(),
        ..HttpSettings::default()
    };
    let tls = HttpSettings {
        tls: Some(TlsSettings {
            certificate: "/nowhere/cert.pem".into(),
            key: "/nowhere/key.pem".into(),
            check_every: Duration::from_secs(1),
            management: true,
        }),
        ..HttpSettings::default()
    };
    let plain_management = HttpSettings {
        tls: Some(TlsSettings {
            management: false,
            ..tls.tls.clone().expect("set")
        }),
        ..HttpSettings::default()
    };
    for (settings, key, value) in [
        (limits(|limits| limits.connections = 0), "http.limits.connections", "0"),
        (limits(|limits| limits.requests = 0), "http.limits.requests", "0"),
        (
            limits(|limits| limits.header_fields = 101),
            "http.limits.header_fields",
            "101",
        ),
        (
            limits(|limits| limits.uri_bytes = 40_000),
            "http.limits.uri_bytes",
            "40000",
        ),
        (
            times(|times| times.header = Duration::ZERO),
            "http.timeouts.header",
            "0s",
        ),
        (
            times(|times| times.drain = Duration::MAX),
            "http.timeouts.drain",
            "one day",
        ),
        (prefix, "http.header_prefix", "Acme"),
        (cors("app.example.com"), "http.cors.origins", "app.example.com"),
        (
            cors("https://app.example.com/"),
            "http.cors.origins",
            "https://app.example.com/",
        ),
        (tls, "http.tls.certificate", "/nowhere/cert.pem"),
        (plain_management, "http.tls.management", "http.management_listen"),
    ] {
        let complaint = refused(settings).await;
        assert!(complaint.starts_with(key) && complaint.contains(value), "{complaint}");
    }
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address");
    let settings = HttpSettings {
        management_listen: Some(address),
        ..HttpSettings::default()
    };
    let complaint = refused(settings).await;
    assert!(complaint.contains(&address.to_string()), "{complaint}");
}

#[test]
fn settings_are_read_with_defaults_and_nothing_unknown() {
    let read = |json: &str| serde_json::from_str::<HttpSettings>(json);
    assert_eq!(read("{}").expect("defaults"), HttpSettings::default());
    let some = read(r#"{"listen": "[::1]:1", "timeouts": {"idle": "2min"}, "cors": {"origins": ["*"]}}"#);
    let some = some.expect("settings");
    assert_eq!(some.timeouts.idle, Duration::from_secs(120));
    assert_eq!(some.timeouts.header, HttpSettings::default().timeouts.header);
    for unknown in [
        r#"{"lissten": "[::1]:1"}"#,
        r#"{"limits": {"uri": 1}}"#,
        r#"{"timeouts": {"idle": 5}}"#,
    ] {
        assert!(read(unknown).is_err(), "{unknown}");
    }
}
