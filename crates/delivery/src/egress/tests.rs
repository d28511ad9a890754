//! Tests of policies.

use super::{Policy, SettingNames, UrlError};

fn allowing(networks: &[&str]) -> Policy {
    let networks = networks.iter().map(|network| network.parse().expect("a network"));
    Policy {
        allow_networks: networks.collect(),
        ..Policy::default()
    }
}

#[test]
fn networks_can_be_allowed() {
    let policy = allowing(&["10.1.0.0/16", "fd00::/64"]);
    for (address, allowed) in [
        ("10.1.2.3", true),
        ("::ffff:10.1.2.3", true),
        ("::ffff:10.2.0.1", false),
        ("::ffff:169.254.169.254", false),
        ("::ffff:1.1.1.1", true),
        ("10.2.0.1", false),
        ("fd00::7", true),
        ("fd00:0:0:1::7", false),
        ("127.0.0.1", false),
    ] {
        assert_eq!(
            policy.allows(address.parse().expect("an address")),
            allowed,
            "{address}"
        );
    }
}

/// Disguised loopback and other addresses.
const CLOSED: [&str; 17] = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "①②⑦.0.0.1",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "10.0.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "localhost",
    "broker.localhost.",
];

#[test]
fn addresses_are_read_before_anything_is_sent() {
    let policy = Policy::default();
    let check = |url: &str| policy.check_url(url).map(|_| ());
    for url in [
        "https://example.com/hook",
        "https://1.1.1.1:8443/",
        "https://[2606:4700::1111]/",
    ] {
        assert_eq!(check(url), Ok(()), "{url}");
    }
    let http = UrlError::Http {
        setting: "egress.allow_plaintext",
    };
    for (url, error) in [
        ("", UrlError::Url),
        ("/hook", UrlError::Url),
        ("https://", UrlError::Url),
        ("ftp://example.com", UrlError::Scheme),
        ("file:///etc/passwd", UrlError::Scheme),
        ("http://example.com", http),
    ] {
        assert_eq!(check(url), Err(error), "{url}");
    }
    for host in CLOSED {
        let error = check(&format!("https://{host}/hook")).expect_err(host);
        assert!(matches!(error, UrlError::NotPublic { .. }), "{host}: {error}");
        let error = check(&format!("https://user:pass@{host}/hook")).expect_err(host);
        assert!(matches!(error, UrlError::NotPublic { .. }), "{host}: {error}");
    }
}

#[test]
fn hosts_of_brokers_are_read_as_the_system_reads_them() {
    let policy = Policy::default();
    for host in CLOSED {
        let error = policy.check_host(host, true).expect_err(host);
        assert!(matches!(error, UrlError::NotPublic { .. }), "{host}: {error}");
    }
    assert!(matches!(
        policy.check_host("::1", true),
        Err(UrlError::NotPublic { .. })
    ));
    for host in ["mq.example.com", "1.1.1.1", "2606:4700::1111", "[2606:4700::1111]"] {
        assert_eq!(policy.check_host(host, true), Ok(()), "{host}");
        let setting = "egress.allow_plaintext";
        assert_eq!(
            policy.check_host(host, false),
            Err(UrlError::Plaintext { setting }),
            "{host}"
        );
    }
    for host in ["", "a/b", "a@b", "a?b", "a#b", "a b", ":x:"] {
        assert_eq!(policy.check_host(host, true), Err(UrlError::Host), "{host:?}");
    }
    let local = allowing(&["127.0.0.0/8"]);
    assert_eq!(local.check_host("localhost", true), Ok(()));
    assert!(local.check_host("10.0.0.1", true).is_err());
}

#[tokio::test]
async fn a_host_that_is_not_there_and_one_that_is_not_public_are_the_same() {
    let policy = Policy::default();
    let mut reasons = Vec::new();
    for host in [
        "127.0.0.1",
        "localhost",
        "127.1",
        "::1",
        "name.invalid",
        "169.254.169.254",
    ] {
        let reason = policy.resolve(host, 5672).await.expect_err(host);
        reasons.push(reason.to_string());
    }
    reasons.dedup();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    let found = allowing(&["127.0.0.0/8"]).resolve("localhost", 1).await;
    let found = found.expect("allowed");
    // Where the machine has ::1 for the name too, that one is left out.
    assert!(!found.is_empty() && found.iter().all(std::net::SocketAddr::is_ipv4));
}

#[tokio::test]
async fn errors_name_the_setting_that_allows_a_host() {
    for (settings, plaintext, networks) in [
        (SettingNames::EGRESS, "egress.allow_plaintext", "egress.allow_networks"),
        (SettingNames::WEBHOOKS, "webhooks.allow_http", "webhooks.allow_networks"),
        (SettingNames::LINKING, "linking.allow_http", "linking.allow_networks"),
    ] {
        let policy = Policy {
            settings,
            ..Policy::default()
        };
        let http = policy.check_url("http://example.com").expect_err("plain text");
        let broker = policy.check_host("example.com", false).expect_err("plain text");
        for error in [http, broker] {
            assert!(error.to_string().ends_with(&format!("`{plaintext}`")), "{error}");
        }
        let private = policy.check_url("https://10.0.0.1/").expect_err("private");
        assert!(private.to_string().ends_with(&format!("`{networks}`")), "{private}");
        let resolved = policy.resolve("localhost", 1).await.expect_err("private");
        assert!(resolved.to_string().ends_with(&format!("`{networks}`")), "{resolved}");
    }
}
