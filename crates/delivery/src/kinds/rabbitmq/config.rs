//! The `rabbitmq` block: an AMQP URI and the name of an exchange.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use reqwest::Url;
use wearlab_models::{MASK, Rabbitmq, Secret};

use crate::ConfigError;
use crate::pipeline::text::filled;

/// Maximum length of a name in AMQP 0-9-1, in bytes.
const MAX_NAME: usize = 255;

/// An exchange and its broker.
#[derive(Clone, Debug)]
pub struct ExchangeConfig {
    /// The broker.
    pub uri: AmqpUri,
    /// The name of the exchange, 1 to 255 bytes.
    pub exchange: String,
}

/// An AMQP 0-9-1 URI. `Debug` does not show the password.
#[derive(Clone, Debug)]
pub struct AmqpUri {
    /// True if the scheme is `amqps`.
    pub tls: bool,
    /// The user; `guest` unless given.
    pub user: String,
    /// The password; `guest` unless given.
    pub password: Secret,
    /// A name or an IP address, without brackets.
    pub host: String,
    /// The port; that of the scheme unless given.
    pub port: u16,
    /// The virtual host; `/` unless given.
    pub vhost: String,
    /// The parameter `channel_max`.
    pub channel_max: Option<u16>,
    /// The parameter `connection_timeout`, in milliseconds.
    pub connection_timeout: Option<u64>,
    /// The parameter `frame_max`, in bytes.
    pub frame_max: Option<u32>,
    /// The parameter `heartbeat`, in seconds.
    pub heartbeat: Option<u16>,
    /// True if `auth_mechanism` is `amqplain` rather than `plain`.
    pub amqplain: bool,
}

impl ExchangeConfig {
    /// Parses the block of a pipeline.
    ///
    /// # Errors
    ///
    /// For a URI or a name that cannot be used.
    pub fn parse(block: &Rabbitmq) -> Result<Self, ConfigError> {
        let uri = AmqpUri::parse(block.uri.expose()).map_err(|reason| ConfigError::new("rabbitmq.uri", reason))?;
        filled("rabbitmq.exchange", &block.exchange, "is empty")?;
        match block.exchange.len() {
            0..=MAX_NAME => Ok(Self {
                uri,
                exchange: block.exchange.clone(),
            }),
            _ => Err(ConfigError::new("rabbitmq.exchange", "is longer than 255 bytes")),
        }
    }

    /// Rejects a masked password.
    pub(super) fn require_secrets(&self) -> Result<(), ConfigError> {
        match self.uri.password.expose() == MASK {
            true => Err(ConfigError::new(
                "rabbitmq.uri",
                "has a masked password; give the password itself",
            )),
            false => Ok(()),
        }
    }
}

impl AmqpUri {
    /// Parses a URI. An error quotes no part of it: an unescaped password may end anywhere.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let form = "is not an AMQP URI such as amqps://user:password@host:5671/vhost; percent-encode special characters \
                    in user, password and vhost (: %3A, / %2F, ? %3F, # %23, @ %40)";
        let url = Url::parse(text).map_err(|_| form)?;
        let tls = match url.scheme() {
            "amqp" => false,
            "amqps" => true,
            _ => return Err(form),
        };
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        let after_host = rest.find(['/', '?', '#']).map_or("", |at| &rest[at..]);
        if after_host.contains('@') {
            return Err(form);
        }
        if url.fragment().is_some() {
            return Err("has a fragment (#); write # in a user or password as %23");
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(form)?;
        if url.path() == "/" {
            return Err("has an empty vhost; write /%2F, or no slash, for the default vhost");
        }
        let decode = |text: &str| {
            let decoded = percent_decode_str(text).decode_utf8();
            decoded.map(|text| text.into_owned()).map_err(|_| form)
        };
        let vhost = url.path().get(1..).map_or_else(|| Ok("/".to_owned()), decode)?;
        if vhost.len() > MAX_NAME {
            return Err("has a vhost longer than 255 bytes");
        }
        let mut uri = Self {
            tls,
            user: Some(url.username())
                .filter(|user| !user.is_empty())
                .map_or_else(|| Ok("guest".to_owned()), decode)?,
            password: url.password().map_or_else(|| Ok("guest".to_owned()), decode)?.into(),
            host: decode(host.trim_matches(['[', ']']))?,
            port: url.port().unwrap_or(if tls { 5671 } else { 5672 }),
            vhost,
            channel_max: None,
            connection_timeout: None,
            frame_max: None,
            heartbeat: None,
            amqplain: false,
        };
        for (name, value) in url.query_pairs() {
            match &*name {
                "channel_max" => uri.channel_max = Some(number(&value)?),
                "connection_timeout" => uri.connection_timeout = Some(number(&value)?),
                "frame_max" => uri.frame_max = Some(number(&value)?),
                "heartbeat" => uri.heartbeat = Some(number(&value)?),
                "auth_mechanism" => {
                    uri.amqplain = match value.to_ascii_lowercase().as_str() {
                        "plain" => false,
                        "amqplain" => true,
                        _ => return Err("has an unsupported auth_mechanism; supported are plain and amqplain"),
                    }
                }
                _ => {
                    return Err(
                        "has an unsupported parameter; supported are auth_mechanism, channel_max, \
                                connection_timeout, frame_max and heartbeat",
                    );
                }
            }
        }
        Ok(uri)
    }
}

fn number<T: FromStr>(value: &str) -> Result<T, &'static str> {
    value
        .parse()
        .map_err(|_| "has a parameter that is not a number in its range")
}

#[cfg(test)]
mod tests {
    use wearlab_models::{Rabbitmq, Secret};

    use super::ExchangeConfig;
    use crate::ConfigError;

    fn of(uri: &str, exchange: &str) -> Result<ExchangeConfig, ConfigError> {
        let block = serde_json::json!({"uri": uri, "exchange": exchange});
        let block: Rabbitmq = serde_json::from_value(block).expect("a block");
        assert_eq!(block.uri, Secret::new(uri));
        ExchangeConfig::parse(&block)
    }

    #[test]
    fn uris_are_parsed_as_other_clients_do() {
        let parsed = |uri: &str| {
            let uri = of(uri, "events").unwrap_or_else(|error| panic!("{uri}: {error}")).uri;
            assert!(!format!("{uri:?}").contains("p/:q"));
            format!(
                "{} {} {} {} {} {} {:?}",
                uri.tls,
                uri.user,
                uri.password.expose(),
                uri.host,
                uri.port,
                uri.vhost,
                uri.heartbeat
            )
        };
        assert_eq!(parsed("amqp://mq.example"), "false guest guest mq.example 5672 / None");
        assert_eq!(parsed("amqps://u:p@mq.example/v"), "true u p mq.example 5671 v None");
        assert_eq!(
            parsed("amqp://u%40x:p%2F%3Aq@127.0.0.1:5673/%2F?heartbeat=7"),
            "false u@x p/:q 127.0.0.1 5673 / Some(7)"
        );
        assert_eq!(
            parsed("amqp://u:p@[::1]:99/a%2Fb?heartbeat=0"),
            "false u p ::1 99 a/b Some(0)"
        );
        let all = "amqps://h?connection_timeout=9&auth_mechanism=AMQPLAIN&channel_max=8&frame_max=7000";
        let all = of(all, "e").expect("a URI").uri;
        assert_eq!(
            (all.connection_timeout, all.amqplain, all.channel_max, all.frame_max),
            (Some(9), true, Some(8), Some(7000))
        );
    }

    #[test]
    fn what_is_wrong_is_said_without_the_value() {
        let long = format!("amqp://u:hunter2@h/{}", "v".repeat(300));
        for (uri, exchange, expected) in [
            ("", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("hunter2", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("https://u:hunter2@h/v", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp:hunter2", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp:///hunter2", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp://u:hun/ter2@h/v", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp://u:12/hunter2@h/v", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp://u:12?hunter2@h/v", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp://u:12#hunter2@h/v", "e", "rabbitmq.uri: is not an AMQP URI"),
            ("amqp://u:hunter2@h:99999/v", "e", "rabbitmq.uri: is not an AMQP URI"),
            (
                "amqp://u:hunter2@h/v?heartbeat=often",
                "e",
                "rabbitmq.uri: has a parameter that is not a number",
            ),
            ("amqp://u:hunter2@h/", "e", "rabbitmq.uri: has an empty vhost"),
            (&long, "e", "rabbitmq.uri: has a vhost longer"),
            (
                "amqps://u:hunter2@h/v?verify=verify_none",
                "e",
                "rabbitmq.uri: has an unsupported parameter",
            ),
            (
                "amqps://h/v?auth_mechanism=external",
                "e",
                "rabbitmq.uri: has an unsupported auth_mechanism",
            ),
            ("amqp://u:hunter2@h/v", "", "rabbitmq.exchange: is empty"),
            ("amqp://u:hunter2@h/v", &"e".repeat(256), "rabbitmq.exchange: is longer"),
        ] {
            let error = of(uri, exchange).err().unwrap_or_else(|| panic!("{uri} is accepted"));
            assert!(error.to_string().starts_with(expected), "{uri}: {error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        assert!(of("amqp://h", &"e".repeat(255)).is_ok());
        let masked = of("amqp://u:****@h/v", "e").expect("a masked export is valid");
        let error = masked.require_secrets().expect_err("not usable");
        assert!(
            error.to_string().starts_with("rabbitmq.uri: has a masked password"),
            "{error}"
        );
    }
}
