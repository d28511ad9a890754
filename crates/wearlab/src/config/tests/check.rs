//! Values and files that are invalid: all are reported together.

use std::fs;

use super::variables;
use crate::config::{Loaded, load};

/// Returns the settings that have problems, in order.
fn wrong(text: &str) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), text).expect("writes");
    let mut loaded = Loaded::read(Some(file.path()), [], &[]).expect("reads");
    loaded.check_values();
    loaded.check_files();
    for problem in &loaded.problems {
        assert!(problem.origin.is_some(), "{problem}");
    }
    loaded.problems.into_iter().map(|problem| problem.setting).collect()
}

#[test]
fn what_serve_cannot_use_is_refused() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().display();
    for (text, setting) in [
        ("[database]\nurl = \"mysql://u:p@h/db\"", "database.url"),
        ("[database]\nurl = \"postgres://u:p@h:99999/db\"", "database.url"),
        (
            "[database]\nurl = \"postgres://u:p@h/db?sslmode=maybe\"",
            "database.url",
        ),
        ("[database]\nurl = \"\"", "database.url"),
        ("[svix]\nserver = \"nonsense\"\ntoken = \"t\"", "svix.server"),
        ("[svix]\nserver = \"ftp://svix.example\"\ntoken = \"t\"", "svix.server"),
        ("[svix]\ntoken = \"a b\"", "svix.token"),
        ("[cloud_pubsub]\nendpoint = \"\"", "cloud_pubsub.endpoint"),
        (
            "allow_plaintext_secrets = true\n[connectors.oura]\nclient_id = \"c\"",
            "connectors.oura.client_id",
        ),
        (
            "[connectors.oura]\nclient_id = \"c\"\nclient_secret = \"s\"",
            "connectors.oura.client_id",
        ),
        (
            "allow_plaintext_secrets = true\n[connectors.oura]\nclient_secret_file = \"/nowhere\"\nclient_id = \"c\"",
            "connectors.oura.client_secret_file",
        ),
        ("[cloud_pubsub]\nendpoint = \"ftp://h\"", "cloud_pubsub.endpoint"),
        ("[http.limits]\nheader_bytes = 1", "http.limits.header_bytes"),
        (
            "[store]\npage_cache_bytes = 9000000000000000000",
            "store.page_cache_bytes",
        ),
        (
            "[database]\ndocument_cache_bytes = 9000000000000000000",
            "database.document_cache_bytes",
        ),
        (&format!("data = \"{path}\""), "data"),
        (&format!("[database]\nurl_file = \"{path}\""), "database.url_file"),
    ] {
        assert_eq!(wrong(text), [setting], "{text}");
    }
    let url_file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(url_file.path(), "mysql://h/db\n").expect("writes");
    let text = format!("[database]\nurl_file = \"{}\"", url_file.path().display());
    assert_eq!(wrong(&text), ["database.url_file"]);
}

#[test]
fn no_problem_hides_another() {
    let text = "[svix]\nserver = \"nonsense\"\n[log]\nfilter = \"wearlab=loud\"\notlp_endpoint = \"nowhere\"\n\
                [http.cors]\norigins = [\"https://a.example\", \"one\", \"two\"]\n\
                [http.tls]\ncertificate = \"/nowhere/certificate.pem\"\nkey = \"\"\n";
    let mut wrong = self::wrong(text);
    wrong.sort();
    let expected = [
        "http.cors.origins",
        "http.cors.origins",
        "http.tls.certificate",
        "http.tls.key",
        "log.filter",
        "log.otlp_endpoint",
        "svix.server",
        "svix.server",
    ];
    assert_eq!(wrong, expected);
    let text = "[http.tls]\ncertificate = \"/nowhere/certificate.pem\"\nkey = \"/nowhere/key.pem\"\n";
    assert_eq!(self::wrong(text), ["http.tls.certificate", "http.tls.key"]);
}

#[test]
fn each_section_opens_networks_for_its_own_hosts_alone() {
    for open in ["egress", "webhooks", "linking"] {
        let plaintext = if open == "egress" {
            "allow_plaintext"
        } else {
            "allow_http"
        };
        let text = format!("[{open}]\n{plaintext} = true\nallow_networks = [\"10.1.0.0/16\"]\n");
        let config = crate::config::tests::toml(&text).expect("is valid");
        let webhooks = config.webhooks.sender();
        for url in ["https://10.1.2.3/", "http://example.com/"] {
            for (section, checked) in [
                ("egress", config.egress.policy().check_url(url).map(drop)),
                ("webhooks", webhooks.check(url).map(drop)),
                ("linking", config.linking.policy().check_url(url).map(drop)),
            ] {
                match (section == open, checked) {
                    (true, checked) => assert_eq!(checked, Ok(()), "{open}: {section} {url}"),
                    (false, Ok(())) => panic!("{open} opens {section} for {url}"),
                    (false, Err(error)) => {
                        assert!(error.to_string().contains(&format!("`{section}.allow_")), "{error}");
                    }
                }
            }
        }
    }
}

#[test]
fn all_invalid_entries_of_a_list_are_named() {
    let wrong = |networks: &str| {
        let text = format!("[webhooks]\nallow_networks = {networks}\n");
        crate::config::tests::toml(&text).expect_err("refused").to_string()
    };
    for networks in [
        "\"10.0.0.0/8,nope,fd00::/8,1.2.3.4/99\"",
        "[\"10.0.0.0/8\", \"nope\", \"fd00::/8\", \"1.2.3.4/99\"]",
    ] {
        let error = wrong(networks);
        assert!(error.contains("webhooks.allow_networks: entry 2: "), "{error}");
        assert!(error.contains("; entry 4: ") && !error.contains("entry 3"), "{error}");
    }
    let error = wrong("\"nope\"");
    assert!(!error.contains("entry"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_refused_by_name() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let mut environment = variables(&[("WEARLAB_WEBHOOKS__IN_FLIGHT", "0"), ("OTHER", "x")]);
    environment.push(("WEARLAB_DATA".into(), OsString::from_vec(b"hush\xff".to_vec())));
    environment.push(("WEARLAB_API_KEY".into(), OsString::from_vec(vec![0xff])));
    environment.push(("OTHER".into(), OsString::from_vec(vec![0xff])));
    let error = load(None, environment, &[]).expect_err("refused").to_string();
    assert!(error.contains("2 problems"), "{error}");
    assert!(error.contains("\n  WEARLAB_DATA: the value is not UTF-8\n"), "{error}");
    assert!(!error.contains("hush"), "{error}");
}
