//! The `nats` block: servers, a subject, and who logs in.

use wearlab_models::{MASK, Nats};

use super::credentials::Login;
use super::servers::{self, Server};
use super::subject::SubjectTemplate;
use crate::ConfigError;

/// A subject, and the servers that it is published at.
#[derive(Clone, Debug)]
pub struct SubjectConfig {
    /// The servers, at least one.
    pub servers: Vec<Server>,
    /// The login, if one is given.
    pub login: Option<Login>,
    /// The subject of messages.
    pub subject: SubjectTemplate,
    /// The stream that must store them.
    pub stream: Option<String>,
}

impl SubjectConfig {
    /// Parses the block of a pipeline.
    ///
    /// # Errors
    ///
    /// For a URL, a name or credentials that cannot be used.
    pub fn parse(block: &Nats) -> Result<Self, ConfigError> {
        let at = |field: &'static str| move |reason| ConfigError::new(field, reason);
        let (servers, of_url) = servers::parse(block.url.expose()).map_err(at("nats.url"))?;
        let credentials = block.credentials.as_ref().map(Login::parse).transpose();
        let login = match (of_url, credentials.map_err(at("nats.credentials"))?) {
            (Some(_), Some(_)) => {
                let reason = "is given, and so is a login in nats.url; remove one of them";
                return Err(ConfigError::new("nats.credentials", reason));
            }
            (of_url, credentials) => of_url.or(credentials),
        };
        let subject = SubjectTemplate::parse(&block.subject).map_err(at("nats.subject"))?;
        if let Some(stream) = &block.stream {
            check_stream(stream).map_err(at("nats.stream"))?;
        }
        Ok(Self {
            servers,
            login,
            subject,
            stream: block.stream.clone(),
        })
    }

    /// Refuses a secret that is only the mask of one.
    pub(super) fn require_secrets(&self) -> Result<(), ConfigError> {
        let field = match &self.login {
            _ if self.servers.iter().any(|server| server.host == MASK) => "nats.url",
            Some(login @ (Login::User { .. } | Login::Token(_))) if login.is_masked() => "nats.url",
            Some(login) if login.is_masked() => "nats.credentials",
            _ => return Ok(()),
        };
        Err(ConfigError::new(field, "has a masked secret; give the secret itself"))
    }
}

fn check_stream(name: &str) -> Result<(), &'static str> {
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || ".*>/\\".contains(c);
    match name {
        "" => Err("is empty; leave it out, or name a stream"),
        _ if name.len() > 255 => Err("is longer than 255 bytes"),
        _ if name.contains(forbidden) => Err("is not the name of a stream: it has a space or one of . * > / \\"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use wearlab_models::Nats;

    use super::SubjectConfig;
    use crate::ConfigError;

    const FILE: &str = "-----BEGIN NATS USER JWT-----\nhunter2\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY \
                        SEED-----\nhunter2\n------END USER NKEY SEED------";
    const SEED: &str = "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM";

    fn of(change: &Value) -> Result<SubjectConfig, ConfigError> {
        let mut block = json!({"url": "tls://nats.example", "subject": "events"});
        let members = block.as_object_mut().expect("an object");
        members.extend(change.as_object().expect("an object").clone());
        let block: Nats = serde_json::from_value(block).expect("a block");
        SubjectConfig::parse(&block)
    }

    #[test]
    fn logins_are_taken_from_the_url_or_the_credentials() {
        for change in [
            json!({}),
            json!({"url": "tls://me:hunter2@nats.example"}),
            json!({"url": "tls://hunter2@nats.example", "stream": "EVENTS"}),
            json!({"credentials": FILE}),
            json!({"credentials": format!("\n{SEED} ")}),
        ] {
            let config = of(&change).unwrap_or_else(|error| panic!("{change}: {error}"));
            config.require_secrets().expect("secrets");
            let shown = format!("{config:?}");
            assert!(!shown.contains("hunter2") && !shown.contains(SEED), "{shown}");
        }
    }

    #[test]
    fn masks_are_valid_and_cannot_be_used() {
        for (change, field) in [
            (json!({"url": "tls://me:****@nats.example"}), "nats.url"),
            (json!({"url": "tls://****@nats.example"}), "nats.url"),
            (json!({"url": "tls://****"}), "nats.url"),
            (json!({"credentials": "****"}), "nats.credentials"),
        ] {
            let config = of(&change).expect("a masked export is valid");
            let error = config.require_secrets().expect_err("a mask");
            assert_eq!(error.field, field, "{change}");
        }
    }

    #[test]
    fn errors_name_the_field_and_no_secret() {
        for (change, expected) in [
            (
                json!({"url": "amqps://u:hunter2@h"}),
                "nats.url: is not a list of NATS URLs",
            ),
            (json!({"subject": "a.>"}), "nats.subject: has a wildcard"),
            (json!({"stream": ""}), "nats.stream: is empty"),
            (json!({"stream": "a.b"}), "nats.stream: is not the name"),
            (json!({"stream": "s".repeat(256)}), "nats.stream: is longer"),
            (json!({"credentials": "hunter2"}), "nats.credentials: is neither"),
            (
                json!({"url": "tls://hunter2@h", "credentials": SEED}),
                "nats.credentials: is given, and so is a login",
            ),
        ] {
            let error = of(&change).expect_err("invalid").to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
