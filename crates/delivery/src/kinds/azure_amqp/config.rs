//! The `azure_amqp` block: an Event Hubs namespace, its hubs, and matchers.

use regex::{Regex, RegexBuilder};
use reqwest::Url;
use wearlab_models::{AzureAmqp, Compression, EventHubMatcher, Secret};

use super::blob_storage::ContainerConfig;
use super::connection_string::ConnectionString;
use crate::ConfigError;
use crate::pipeline::text::{filled, has_more_than_location, known, plain};

/// The memory that a compiled regular expression may take, in bytes.
const MAX_REGEX: usize = 1 << 20;
/// The AMQP ports with TLS and without.
const PORTS: (u16, u16) = (5671, 5672);

/// A namespace with its hubs, and the rules that select a hub for an event.
#[derive(Clone, Debug)]
pub struct EventHubsConfig {
    /// The namespace.
    pub namespace: NamespaceConfig,
    /// The hub for events that no matcher fits.
    pub default_hub: String,
    /// Matchers; the first that fits an event takes it.
    pub matchers: Vec<MatcherConfig>,
    /// Compression of payloads.
    pub gzip: Gzip,
}

/// An Event Hubs namespace, from its connection string.
#[derive(Clone, Debug)]
pub struct NamespaceConfig {
    /// The host, with the brackets of an IPv6 address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// True if to use TLS; only the emulator does not.
    pub tls: bool,
    /// Credential of the namespace.
    pub credential: NamespaceCredential,
    /// The hub that the credential is restricted to.
    only_hub: Option<String>,
    /// True if the credential is only the mask of one.
    masked: bool,
}

/// Credential of a namespace.
#[derive(Clone, Debug)]
pub enum NamespaceCredential {
    /// A policy's name and key, which sign tokens.
    Key {
        /// The policy's name.
        name: String,
        /// The policy's key.
        key: Secret,
    },
    /// A token that was signed elsewhere.
    Token(Secret),
}

/// A matcher: all its conditions must hold, and all its targets receive.
#[derive(Clone, Debug)]
pub struct MatcherConfig {
    /// Prefix of the event type.
    pub prefix: Option<String>,
    /// Expression that the event type matches.
    pub regex: Option<Regex>,
    /// The hub, as a target.
    pub hub: Option<String>,
    /// The container, as a target.
    pub container: Option<ContainerConfig>,
}

/// Compression of payloads with gzip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gzip {
    /// Never.
    Never,
    /// Above 1 KiB.
    Large,
    /// Always.
    Always,
}

impl EventHubsConfig {
    /// Parses the block of a pipeline.
    ///
    /// # Errors
    ///
    /// For the first field that cannot be used.
    pub fn parse(block: &AzureAmqp) -> Result<Self, ConfigError> {
        let namespace = NamespaceConfig::parse(block.connection_string.expose())
            .map_err(|reason| ConfigError::new("azure_amqp.connection_string", reason))?;
        let gzip = match &block.compression {
            Compression::None => Gzip::Never,
            Compression::Auto => Gzip::Large,
            Compression::Always => Gzip::Always,
            _ => {
                let reason = format!("unknown compression; supported are {}", known(Compression::KNOWN));
                return Err(ConfigError::new("azure_amqp.compression", reason));
            }
        };
        let default_hub = namespace.hub("azure_amqp.default_event_hub", &block.default_event_hub)?;
        let matchers = block.event_hub_matchers.iter().enumerate();
        let matchers = matchers.map(|(index, block)| {
            MatcherConfig::parse(&format!("azure_amqp.event_hub_matchers[{index}]"), block, &namespace)
        });
        Ok(Self {
            default_hub,
            matchers: matchers.collect::<Result<_, _>>()?,
            namespace,
            gzip,
        })
    }

    /// Rejects masked credentials.
    pub(super) fn require_secrets(&self) -> Result<(), ConfigError> {
        let masked = |field: String| ConfigError::new(field, "has a masked key; give the key itself");
        if self.namespace.masked {
            return Err(masked("azure_amqp.connection_string".to_owned()));
        }
        let containers = self.matchers.iter().map(|matcher| matcher.container.as_ref());
        match containers
            .into_iter()
            .position(|container| container.is_some_and(|container| container.masked))
        {
            Some(index) => Err(masked(format!(
                "azure_amqp.event_hub_matchers[{index}].blob_storage.connection_string"
            ))),
            None => Ok(()),
        }
    }
}

impl NamespaceConfig {
    /// Parses a connection string. An error quotes nothing of it.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts = ConnectionString::parse(text)?;
        let no_url = "has an Endpoint that is not a URL such as sb://namespace.servicebus.windows.net/";
        let url = Url::parse(parts.get("Endpoint").ok_or("has no Endpoint=sb://...")?).map_err(|_| no_url)?;
        let host = match (url.scheme(), url.host_str()) {
            ("sb" | "amqp" | "amqps", Some(host)) if !host.is_empty() => host.to_owned(),
            _ => return Err(no_url),
        };
        if has_more_than_location(&url) {
            return Err("has an Endpoint with credentials, a query or a fragment; credentials are parts of their own");
        }
        let tls = !parts.is_set("UseDevelopmentEmulator");
        let named = (parts.get("SharedAccessKeyName"), parts.get("SharedAccessKey"));
        let credential = match (named, parts.get("SharedAccessSignature")) {
            ((Some(name), Some(key)), None) => NamespaceCredential::Key {
                name: name.to_owned(),
                key: key.into(),
            },
            // Signatures have the same syntax, so that a mask is one.
            ((None, None), Some(token)) if token.starts_with("SharedAccessSignature sr=") || parts.is_masked() => {
                NamespaceCredential::Token(token.into())
            }
            ((None, None), Some(_)) => {
                return Err("has a SharedAccessSignature that does not start with `SharedAccessSignature sr=`");
            }
            ((None, None), None) => return Err("has neither SharedAccessKeyName nor SharedAccessSignature"),
            (_, Some(_)) => return Err("has both SharedAccessSignature and SharedAccessKey; give one of them"),
            ((None, _), None) => return Err("has no SharedAccessKeyName"),
            ((_, None), None) => return Err("has no SharedAccessKey"),
        };
        Ok(Self {
            host,
            port: url.port().unwrap_or(if tls { PORTS.0 } else { PORTS.1 }),
            tls,
            credential,
            only_hub: parts.get("EntityPath").map(str::to_owned),
            masked: parts.is_masked(),
        })
    }

    /// Checks a hub's name.
    fn hub(&self, field: &str, name: &str) -> Result<String, ConfigError> {
        filled(field, name, "is empty")?;
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !edge(name.chars().next()) || !edge(name.chars().last()) || !name.chars().all(plain) || name.len() > 256 {
            let reason = "is not an event hub name: 1 to 256 letters, digits, '.', '-' and '_', a letter or digit at both \
                          ends";
            return Err(ConfigError::new(field, reason));
        }
        match &self.only_hub {
            Some(only) if !only.eq_ignore_ascii_case(name) => Err(ConfigError::new(
                field,
                "is not the EntityPath of azure_amqp.connection_string; give the connection string of the namespace",
            )),
            _ => Ok(name.to_owned()),
        }
    }
}

impl MatcherConfig {
    fn parse(field: &str, block: &EventHubMatcher, namespace: &NamespaceConfig) -> Result<Self, ConfigError> {
        for (name, text) in [
            ("event_type_prefix", &block.event_type_prefix),
            ("event_type_regex", &block.event_type_regex),
            ("event_hub", &block.event_hub),
        ] {
            if let Some(text) = text {
                let field = format!("{field}.{name}");
                filled(&field, text, "is empty; fill it or leave it out")?;
                plain(&field, text)?;
            }
        }
        if block.event_type_prefix.is_none() && block.event_type_regex.is_none() {
            let reason = "has no condition; give it event_type_prefix, event_type_regex, or both";
            return Err(ConfigError::new(field, reason));
        }
        if block.event_hub.is_none() && block.blob_storage.is_none() {
            return Err(ConfigError::new(
                field,
                "has no target; give it event_hub, blob_storage, or both",
            ));
        }
        let regex = block.event_type_regex.as_deref().map(|pattern| {
            compile(pattern).map_err(|reason| ConfigError::new(format!("{field}.event_type_regex"), reason))
        });
        let hub = block.event_hub.as_deref();
        let hub = hub.map(|name| namespace.hub(&format!("{field}.event_hub"), name));
        let container = block.blob_storage.as_ref();
        let container = container.map(|block| ContainerConfig::parse(&format!("{field}.blob_storage"), block));
        Ok(Self {
            prefix: block.event_type_prefix.clone(),
            regex: regex.transpose()?,
            hub: hub.transpose()?,
            container: container.transpose()?,
        })
    }

    /// Returns whether it takes events of a type.
    pub fn fits(&self, event_type: &str) -> bool {
        let prefix = self.prefix.as_deref();
        prefix.is_none_or(|prefix| event_type.starts_with(prefix))
            && self.regex.as_ref().is_none_or(|regex| regex.is_match(event_type))
    }
}

/// Compiles a regular expression. An error does not show it.
fn compile(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern)
        .size_limit(MAX_REGEX)
        .dfa_size_limit(MAX_REGEX)
        .build();
    built.map_err(|error| match error {
        regex::Error::Syntax(text) => {
            // The last line has the cause, those before it the expression.
            let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("is not a regular expression: {cause}")
        }
        _ => "is too large a regular expression".to_owned(),
    })
}

#[cfg(test)]
mod tests;
