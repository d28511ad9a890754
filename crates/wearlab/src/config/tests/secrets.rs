//! Tests that messages contain no secrets.

use super::toml;
use crate::config::{Config, ConfigurationError, load};

/// Secrets in the wrong place, and wrong values in the place of secrets.
#[test]
fn no_message_has_a_secret() {
    const MARK: &str = "hush4711";
    let url = format!("postgres://u:{MARK}@h/db");
    let (mut files, mut given) = (Vec::new(), Vec::new());
    for name in [MARK, &format!("\"{url}\""), &format!("\"a.{url}\"")] {
        files.push(format!("{} = 1", if name == MARK { "\"hush4711 x\"" } else { name }));
        for section in ["database", "svix", "cloud_pubsub"] {
            files.extend([format!("[{section}]\n{name} = 1"), format!("{section}.{name} = \"x\"")]);
        }
    }
    given.push((format!("svix.{MARK}"), "x".to_owned()));
    for section in [
        "database",
        "svix",
        "cloud_pubsub",
        "http",
        "http.tls",
        "log",
        "service.rate_limit",
    ] {
        given.push((section.to_owned(), url.clone()));
        files.extend([format!("{section} = \"{url}\""), format!("{section} = [\"{url}\"]")]);
        files.push(format!("[[{section}]]\nurl = \"{url}\""));
    }
    for setting in [
        "database.url",
        "database.connections",
        "database.document_cache_bytes",
        "database.statement_timeout",
        "database.authorities_file.x",
        "svix.token",
        "svix.tokn",
        "svix.server",
        "svix.token.x",
        "cloud_pubsub.endpoint.x",
        "dtabase",
        "data",
    ] {
        let (section, name) = setting.split_once('.').unwrap_or(("", setting));
        given.push((setting.to_owned(), url.clone()));
        for value in [
            format!("\"{url}"),
            format!("[\"{url}\", 1]"),
            format!("{{ {MARK} = 1 }}"),
            format!("'{url}' x"),
            url.clone(),
        ] {
            let head = if section.is_empty() {
                String::new()
            } else {
                format!("[{section}]\n")
            };
            files.push(format!("{head}{name} = {value}\n"));
        }
    }
    let mut refused = 0;
    let mut check = |what: &str, loaded: Result<Config, ConfigurationError>| match loaded {
        Ok(config) => assert!(!format!("{config:?}").contains(MARK), "{what}"),
        Err(error) => {
            refused += 1;
            let message = format!("{error} {error:?}");
            assert!(!message.contains(MARK), "{what}: {message}");
        }
    };
    for file in &files {
        check(file, toml(file));
    }
    for (setting, value) in &given {
        let variable = format!("WEARLAB_{}", setting.to_uppercase().replace('.', "__"));
        check(setting, load(None, [(variable.into(), value.clone().into())], &[]));
        check(setting, load(None, [], &[(setting.clone(), value.clone())]));
    }
    assert!(refused > 80, "{refused}");
}
