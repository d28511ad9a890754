//! Where the broker is and which exchange is meant, as a pipeline says it.

use std::time::Duration;

use lapin::types::ShortString;
use lapin::uri::{AMQPUri, SASLMechanism};
use reqwest::Url;
use wearlab_models::Rabbitmq;

use crate::Unusable;

/// What a URI may hold after its question mark, as other clients of RabbitMQ read it.
const PARAMETERS: [&str; 5] = [
    "auth_mechanism",
    "channel_max",
    "connection_timeout",
    "frame_max",
    "heartbeat",
];

/// Where the broker is and which exchange is meant. It holds the password: no `Debug`.
pub(super) struct Address {
    pub(super) uri: AMQPUri,
    pub(super) exchange: ShortString,
}

impl Address {
    /// Reads the block of a pipeline. `heartbeat` is for a URI that names none.
    pub(super) fn of(block: &Rabbitmq, heartbeat: Duration) -> Result<Self, Unusable> {
        let mut uri = uri(block.uri.expose()).map_err(|reason| Unusable::new("rabbitmq.uri", reason))?;
        // Without heartbeats, a broker that vanished is found by nobody.
        let named = uri.query.heartbeat.filter(|seconds| *seconds > 0);
        let seconds = u16::try_from(heartbeat.as_secs()).unwrap_or(u16::MAX).max(1);
        uri.query.heartbeat = Some(named.unwrap_or(seconds));
        let exchange = match block.exchange.as_str() {
            "" => Err("is empty: name the exchange that takes the events"),
            name => ShortString::try_new(name).map_err(|_| "is longer than the 255 bytes that AMQP allows"),
        };
        Ok(Self {
            uri,
            exchange: exchange.map_err(|reason| Unusable::new("rabbitmq.exchange", reason))?,
        })
    }
}

/// Reads a URI. What is wrong is said without any part of it: a password with a `/` in it may stand anywhere.
fn uri(text: &str) -> Result<AMQPUri, &'static str> {
    let form = "is no address such as amqps://USER:PASSWORD@HOST:5671/VHOST; write what is special in the user, the \
                password or the virtual host as %2F and the like";
    let url = Url::parse(text).map_err(|_| form)?;
    if !matches!(url.scheme(), "amqp" | "amqps") {
        return Err("begins with neither amqps:// nor amqp://");
    }
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    let after_host = rest.find(['/', '?', '#']).map_or("", |at| &rest[at..]);
    if after_host.contains('@') || url.fragment().is_some() {
        return Err(form);
    }
    if url.host_str().unwrap_or_default().is_empty() {
        return Err("names no host");
    }
    if url.password() == Some("****") {
        return Err("has a masked password, as reads show it: write the password itself");
    }
    if url.path() == "/" {
        return Err("names a virtual host without a name: write /%2F, or no slash, for the default one");
    }
    if url.path().len() > 255 {
        return Err("names a virtual host that is longer than AMQP allows");
    }
    if url.query_pairs().any(|(name, _)| !PARAMETERS.contains(&name.as_ref())) {
        return Err("has a parameter other than auth_mechanism, channel_max, connection_timeout, frame_max, heartbeat");
    }
    let mut uri: AMQPUri = text.parse().map_err(|_| form)?;
    if !matches!(
        uri.query.auth_mechanism,
        None | Some(SASLMechanism::Plain | SASLMechanism::AMQPlain)
    ) {
        return Err("asks for an auth_mechanism other than plain and amqplain");
    }
    // lapin would take IPv6 addresses for localhost.
    if let Some(host) = url
        .host_str()
        .and_then(|host| host.strip_prefix('[')?.strip_suffix(']'))
    {
        uri.authority.host = host.to_owned();
    }
    Ok(uri)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lapin::uri::AMQPScheme;
    use wearlab_models::{Rabbitmq, Secret};

    use super::Address;
    use crate::Unusable;

    fn of(uri: &str, exchange: &str) -> Result<Address, Unusable> {
        let block = serde_json::json!({"uri": uri, "exchange": exchange});
        let block: Rabbitmq = serde_json::from_value(block).expect("a block");
        assert_eq!(block.uri, Secret::new(uri));
        Address::of(&block, Duration::from_secs(30))
    }

    #[test]
    fn addresses_are_read_as_other_clients_read_them() {
        let read = |uri: &str| {
            let address = of(uri, "events").unwrap_or_else(|error| panic!("{uri}: {error}"));
            let uri = address.uri;
            let user = uri.authority.userinfo;
            let beat = uri.query.heartbeat.unwrap_or_default();
            format!(
                "{} {} {} {} {} {} {beat}",
                uri.scheme, user.username, user.password, uri.authority.host, uri.authority.port, uri.vhost
            )
        };
        assert_eq!(read("amqp://mq.example"), "amqp guest guest mq.example 5672 / 30");
        assert_eq!(read("amqps://u:p@mq.example/v"), "amqps u p mq.example 5671 v 30");
        assert_eq!(
            read("amqp://u%40x:p%2F%3Aq@127.0.0.1:5673/%2F?heartbeat=7"),
            "amqp u@x p/:q 127.0.0.1 5673 / 7"
        );
        assert_eq!(read("amqp://u:p@[::1]:99/a%2Fb?heartbeat=0"), "amqp u p ::1 99 a/b 30");
        assert_eq!(
            read("amqps://u:p@h/v?connection_timeout=9&auth_mechanism=PLAIN"),
            "amqps u p h 5671 v 30"
        );
        assert!(matches!(
            of("amqps://h", "e").map(|a| a.uri.scheme),
            Ok(AMQPScheme::AMQPS)
        ));
    }

    #[test]
    fn what_is_wrong_is_said_without_the_value() {
        let long = format!("amqp://u:hunter2@h/{}", "v".repeat(300));
        for (uri, exchange, expected) in [
            ("", "e", "rabbitmq.uri: is no address"),
            ("hunter2", "e", "rabbitmq.uri: is no address"),
            ("https://u:hunter2@h/v", "e", "rabbitmq.uri: begins with neither"),
            ("amqp:hunter2", "e", "rabbitmq.uri: names no host"),
            ("amqp:///hunter2", "e", "rabbitmq.uri: names no host"),
            ("amqp://u:hun/ter2@h/v", "e", "rabbitmq.uri: is no address"),
            ("amqp://u:12/hunter2@h/v", "e", "rabbitmq.uri: is no address"),
            ("amqp://u:12?hunter2@h/v", "e", "rabbitmq.uri: is no address"),
            ("amqp://u:12#hunter2@h/v", "e", "rabbitmq.uri: is no address"),
            ("amqp://u:hunter2@h:99999/v", "e", "rabbitmq.uri: is no address"),
            (
                "amqp://u:hunter2@h/v?heartbeat=often",
                "e",
                "rabbitmq.uri: is no address",
            ),
            ("amqp://u:****@h/v", "e", "rabbitmq.uri: has a masked password"),
            (
                "amqp://u:hunter2@h/",
                "e",
                "rabbitmq.uri: names a virtual host without a name",
            ),
            (&long, "e", "rabbitmq.uri: names a virtual host that is longer"),
            (
                "amqps://u:hunter2@h/v?verify=verify_none",
                "e",
                "rabbitmq.uri: has a parameter other",
            ),
            (
                "amqps://h/v?auth_mechanism=external",
                "e",
                "rabbitmq.uri: asks for an auth_mechanism",
            ),
            ("amqp://u:hunter2@h/v", "", "rabbitmq.exchange: is empty"),
            ("amqp://u:hunter2@h/v", &"e".repeat(256), "rabbitmq.exchange: is longer"),
        ] {
            let error = of(uri, exchange).err().unwrap_or_else(|| panic!("{uri} is taken"));
            assert!(error.to_string().starts_with(expected), "{uri}: {error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        assert!(of("amqp://h", &"e".repeat(255)).is_ok());
    }
}
