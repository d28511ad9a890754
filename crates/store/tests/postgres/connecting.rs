//! Errors of connecting: they name the cause and the server, without a secret.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use tokio_postgres::Config;
use wearlab_store::{PostgresSettings, Store, StoreError};

use crate::server::{Raw, Schema, directory, elsewhere, message, server_url, wait};

fn password() -> String {
    let config: Config = server_url().parse().expect("an address");
    String::from_utf8(config.get_password().expect("a password").to_vec()).expect("text")
}

fn place() -> String {
    let config: Config = server_url().parse().expect("an address");
    format!("postgres://127.0.0.1:{}", config.get_ports()[0])
}

fn connect(url: String) -> Result<Store, StoreError> {
    wait(Store::connect(&PostgresSettings::new(url), &[]))
}

/// Returns the error of connecting, and checks that it contains no password.
fn refusal(settings: &PostgresSettings) -> String {
    let error = wait(Store::connect(settings, &[])).expect_err("is refused");
    let text = format!("{} {error:?} {settings:?}", message(&error));
    for secret in [password().as_str(), "hunter2"] {
        assert!(!text.contains(secret), "{text}");
    }
    message(&error)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_wrong_address_is_reported_without_its_password() {
    let (url, password, place) = (server_url(), password(), place());
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .port();
    let cases = [
        (
            url.replace(&password, "hunter2"),
            place.as_str(),
            "password authentication failed",
        ),
        (
            url.replace("/postgres?", "/nowhere?"),
            place.as_str(),
            "database \"nowhere\" does not exist",
        ),
        (
            format!("postgres://wearlab:hunter2@127.0.0.1:{free}/postgres"),
            "postgres://127.0.0.1:",
            "Connection refused",
        ),
        (
            "postgres://wearlab:hunter2@[".to_owned(),
            "the configured database",
            "its URL has an invalid host",
        ),
        (
            format!("{url}&hunter2=1"),
            "the configured database",
            "its URL is not a PostgreSQL URL",
        ),
        (
            format!("{url}&options=-c%20search_path%3Dnowhere"),
            place.as_str(),
            "no schema",
        ),
    ];
    for (url, place, why) in cases {
        let refused = refusal(&PostgresSettings::new(url));
        assert!(refused.contains(place) && refused.contains(why), "{refused}");
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_says_nothing_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let started = Instant::now();
    let refused = refusal(&PostgresSettings::new(format!(
        "postgres://wearlab:hunter2@127.0.0.1:{port}/postgres"
    )));
    assert!(refused.contains(&format!("127.0.0.1:{port}")), "{refused}");
    assert!(started.elapsed() < Duration::from_secs(15));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn nothing_shows_the_password() {
    let schema = Schema::new();
    let (settings, store) = (schema.settings(), schema.store());
    for shown in [format!("{settings:?}"), format!("{settings:#?}"), format!("{store:?}")] {
        assert!(!shown.contains(&password()), "{shown}");
        assert!(shown.contains(&place()), "{shown}");
    }
    let elsewhere = wait(store.backup(&directory().join("copy"))).expect_err("is left to others");
    assert!(message(&elsewhere).contains("pg_dump"), "{elsewhere:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn tls_is_checked() {
    let schema = Schema::new();
    let url = fs::read_to_string(directory().join("tls-url")).expect("an address");
    let settings = |url: &str, authorities: Option<&str>| PostgresSettings {
        authorities_file: authorities.map(|name| directory().join(name)),
        ..PostgresSettings::new(format!("{}&application_name={}", schema.at(url.trim()), schema.name))
    };
    let store = wait(Store::connect(&settings(&url, Some("ca.pem")), &[])).expect("a store");
    wait(store.write(|write| write.put_meta("a", "b"))).expect("writes");
    let sessions = format!(
        "SELECT ssl::text FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = '{}'",
        schema.name
    );
    assert_eq!(schema.raw().texts(&sessions), ["true"]);

    let untrusted = refusal(&settings(&url, None));
    assert!(
        untrusted.contains("UnknownIssuer") && untrusted.contains("postgres://localhost:"),
        "{untrusted}"
    );
    let other = url.replace("@localhost:", "@database.example:");
    let other = format!("{}&hostaddr=127.0.0.1", other.trim());
    let misnamed = refusal(&settings(&other, Some("ca.pem")));
    assert!(
        misnamed.contains("database.example") && misnamed.contains("not valid for name"),
        "{misnamed}"
    );
    let missing = refusal(&settings(&url, Some("nothing.pem")));
    assert!(missing.contains("nothing.pem"), "{missing}");
    let no_certificate = refusal(&settings(&url, Some("url")));
    assert!(no_certificate.contains("no certificate"), "{no_certificate}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn tls_that_is_required_is_not_done_without() {
    let schema = Schema::alone();
    let url = fs::read_to_string(directory().join("tls-url")).expect("an address");
    let raw = Raw::new(&server_url());
    let set = |sql: &str| {
        raw.run(sql);
        raw.run("SELECT pg_reload_conf()");
        std::thread::sleep(Duration::from_millis(500));
    };
    set("ALTER SYSTEM SET ssl = off");
    let settings = PostgresSettings {
        authorities_file: Some(directory().join("ca.pem")),
        ..PostgresSettings::new(schema.at(url.trim()))
    };
    let refused = wait(Store::connect(&settings, &[]));
    set("ALTER SYSTEM RESET ssl");
    let refused = refused.expect_err("is refused");
    assert!(
        message(&refused).contains("does not support TLS"),
        "{}",
        message(&refused)
    );
    wait(Store::connect(&settings, &[])).expect("a store");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn of_several_that_come_first_one_makes_the_tables() {
    let schema = Schema::new();
    std::thread::scope(|scope| {
        let stores: Vec<_> = (0..6).map(|_| scope.spawn(|| schema.store())).collect();
        for (number, store) in stores.into_iter().enumerate() {
            let store = store.join().expect("a store");
            elsewhere(|| wait(store.write(|write| write.put_organisation(&number.to_string())))).expect("writes");
        }
    });
    assert_eq!(schema.raw().number("SELECT count(*) FROM organisations"), 6);
    assert_eq!(schema.raw().number("SELECT count(*) FROM schema_version"), 1);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_newer_version_is_refused_and_left_alone() {
    let schema = Schema::new();
    drop(schema.store());
    let raw = schema.raw();
    let known = raw.number("SELECT version FROM schema_version");
    raw.run("UPDATE schema_version SET version = version + 1");
    let before = raw.dump();
    match connect(schema.url()) {
        Err(StoreError::NewerSchema {
            found,
            known: ours,
            path,
        }) => {
            assert_eq!((found, ours), (known + 1, known));
            assert!(path.display().to_string().starts_with(&place()), "{path:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(raw.dump(), before);
    raw.run("UPDATE schema_version SET version = version - 1");
    drop(schema.store());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn tables_of_others_are_refused_and_left_alone() {
    let schema = Schema::new();
    let raw = schema.raw();
    raw.run("CREATE TABLE users (name text); INSERT INTO users VALUES ('somebody')");
    let before = raw.dump();
    let refused = connect(schema.url());
    assert!(matches!(refused, Err(StoreError::NotAStore { .. })), "{refused:?}");
    assert_eq!(raw.dump(), before);
}
