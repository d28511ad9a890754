//! Where a namespace is, and what lets us in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;
use sha2::Sha256;
use wearlab_models::Secret;

use super::connection_string::ConnectionString;

/// Where AMQP is spoken over TLS, and without.
const PORTS: (u16, u16) = (5671, 5672);

/// A namespace, from its connection string.
pub(super) struct Endpoint {
    /// The host, with the brackets of an IPv6 address.
    pub(super) host: String,
    pub(super) port: u16,
    /// Only the emulator is spoken to without.
    pub(super) tls: bool,
    /// The one hub that the credentials are for, where they are for one.
    pub(super) only_hub: Option<String>,
    credential: Credential,
}

enum Credential {
    /// A policy's name and key, which sign tokens.
    Key { name: String, key: Secret },
    /// A token that somebody else made.
    Token(Secret),
}

impl Endpoint {
    /// The namespace that a connection string is for. The reason of a failure quotes nothing of it.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts = ConnectionString::parse(text)?;
        let url = parts.get("Endpoint").ok_or("has no Endpoint=sb://...")?;
        let url = Url::parse(url)
            .map_err(|_| "has an Endpoint that is no address such as sb://name.servicebus.windows.net/")?;
        let host = match (url.scheme(), url.host_str()) {
            ("sb" | "amqp" | "amqps", Some(host)) if !host.is_empty() => host.to_owned(),
            _ => return Err("has an Endpoint that is no address such as sb://name.servicebus.windows.net/"),
        };
        let tls = !parts.is_set("UseDevelopmentEmulator");
        let name = parts.get("SharedAccessKeyName");
        let key = parts.get("SharedAccessKey");
        let credential = match (name, key, parts.get("SharedAccessSignature")) {
            (Some(name), Some(key), None) => Credential::Key {
                name: name.to_owned(),
                key: key.into(),
            },
            (None, None, Some(token)) => Credential::Token(token.into()),
            _ => return Err("needs SharedAccessKeyName and SharedAccessKey, or SharedAccessSignature"),
        };
        Ok(Self {
            host,
            port: url.port().unwrap_or(if tls { PORTS.0 } else { PORTS.1 }),
            tls,
            only_hub: parts.get("EntityPath").map(str::to_owned),
            credential,
        })
    }

    /// What a token for a hub is about.
    pub(super) fn audience(&self, hub: &str) -> String {
        format!("sb://{}/{hub}", self.host)
    }

    /// A token for an audience, good until a time in seconds since 1970.
    pub(super) fn token(&self, audience: &str, until: u64) -> Secret {
        match &self.credential {
            Credential::Token(token) => token.clone(),
            Credential::Key { name, key } => {
                let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
                let audience = encode(audience);
                let mut mac = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes()).expect("a key of any length");
                mac.update(format!("{audience}\n{until}").as_bytes());
                let signature = encode(&STANDARD.encode(mac.finalize().into_bytes()));
                let name = encode(name);
                Secret::from(format!(
                    "SharedAccessSignature sr={audience}&sig={signature}&se={until}&skn={name}"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    fn endpoint(text: &str) -> Result<Endpoint, &'static str> {
        Endpoint::parse(&format!("{text};SharedAccessKeyName=send;SharedAccessKey=a2V5"))
    }

    #[test]
    fn the_emulator_is_spoken_to_without_tls_at_its_own_port() {
        for (text, host, port, tls) in [
            (
                "Endpoint=sb://n.servicebus.windows.net/",
                "n.servicebus.windows.net",
                5671,
                true,
            ),
            ("Endpoint=sb://n.example:5999", "n.example", 5999, true),
            (
                "Endpoint=sb://localhost;UseDevelopmentEmulator=true;",
                "localhost",
                5672,
                false,
            ),
            (
                "Endpoint=sb://127.0.0.1:15672/;UseDevelopmentEmulator=True",
                "127.0.0.1",
                15672,
                false,
            ),
            (
                "Endpoint=sb://[::1]:5673;UseDevelopmentEmulator=false",
                "[::1]",
                5673,
                true,
            ),
        ] {
            let endpoint = endpoint(text).expect(text);
            assert_eq!(
                (endpoint.host.as_str(), endpoint.port, endpoint.tls),
                (host, port, tls),
                "{text}"
            );
            assert_eq!(endpoint.only_hub, None);
        }
        let one = endpoint("Endpoint=sb://n;EntityPath=events").expect("an endpoint");
        assert_eq!(one.only_hub.as_deref(), Some("events"));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        for text in [
            "",
            "Endpoint=",
            "Endpoint=hunter2",
            "Endpoint=https://hunter2/",
            "Endpoint=sb:///hunter2",
        ] {
            let reason = endpoint(text).err().expect(text);
            assert!(reason.contains("Endpoint") && !reason.contains("hunter2"), "{reason}");
        }
        for text in [
            "Endpoint=sb://n",
            "Endpoint=sb://n;SharedAccessKey=hunter2",
            "Endpoint=sb://n;SharedAccessKeyName=hunter2",
            "Endpoint=sb://n;SharedAccessKeyName=;SharedAccessKey=hunter2",
            "Endpoint=sb://n;SharedAccessKeyName=a;SharedAccessKey=b;SharedAccessSignature=hunter2",
        ] {
            let reason = Endpoint::parse(text).err().expect(text);
            assert!(
                reason.contains("SharedAccessKeyName") && !reason.contains("hunter2"),
                "{reason}"
            );
        }
    }

    /// Computed by Python's hmac and urllib.parse.quote.
    #[test]
    fn tokens_are_signed_as_the_service_checks_them() {
        let endpoint = endpoint("Endpoint=sb://n.servicebus.windows.net/").expect("an endpoint");
        let audience = endpoint.audience("events");
        assert_eq!(audience, "sb://n.servicebus.windows.net/events");
        assert_eq!(
            endpoint.token(&audience, 1_800_000_000).expose(),
            "SharedAccessSignature sr=sb%3A%2F%2Fn%2Eservicebus%2Ewindows%2Enet%2Fevents&sig=lVoecGquKgZ%2FJOJIiQlajN39FJLVcJPewC9gd%2BNLnv8%3D&se=1800000000&skn=send"
        );
        let made = "Endpoint=sb://n;SharedAccessSignature=SharedAccessSignature sr=a&sig=b%3D&se=1&skn=c";
        let made = Endpoint::parse(made).expect("an endpoint");
        assert_eq!(
            made.token("x", 9).expose(),
            "SharedAccessSignature sr=a&sig=b%3D&se=1&skn=c"
        );
    }
}
