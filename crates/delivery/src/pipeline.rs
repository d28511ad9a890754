//! Whether a pipeline makes sense: what can be seen of it without connecting to anything.
//!
//! These rules hold whatever kinds this program is built with. Each kind looks deeper into its own block when a
//! destination is made of it.

use regex::RegexBuilder;
use reqwest::Url;
use wearlab_models::{
    AzureAmqp, BlobStorage, CloudPubsub, Compression, DeliveryKind, EventHubMatcher, Pipeline, PipelinePreferences,
    Rabbitmq,
};

use crate::Unusable;

/// How much memory a regular expression may take once it is compiled.
const LARGEST_REGEX: usize = 1 << 20;

/// Checks a pipeline.
///
/// Blocks of kinds that are not enabled are not looked at, and may be empty. Neither are keys and passwords, which may
/// be masked.
///
/// # Errors
///
/// The first field by which events would go nowhere, or elsewhere than is meant.
pub fn check(pipeline: &Pipeline) -> Result<(), Unusable> {
    preferences(&pipeline.preferences)?;
    for (index, kind) in pipeline.preferences.enabled.iter().enumerate() {
        block(pipeline, kind, index)?;
    }
    for (index, prefix) in pipeline.event_type_prefixes.iter().enumerate() {
        let reason = "is empty, and would let all events through: leave the list empty for that";
        let field = format!("event_type_prefixes[{index}]");
        filled(&field, prefix, reason)?;
        plain(&field, prefix)?;
    }
    Ok(())
}

/// Checks that this program is built with the kinds that a pipeline enables. `svix` always is: where the kind is left out,
/// webhooks of our own stand in for it.
///
/// # Errors
///
/// The first kind that is left out, with the feature that brings it.
pub fn check_build(pipeline: &Pipeline) -> Result<(), Unusable> {
    let enabled = pipeline.preferences.enabled.iter().enumerate();
    let built = |kind: &DeliveryKind| match kind {
        DeliveryKind::CloudPubsub => cfg!(feature = "cloud_pubsub"),
        DeliveryKind::Rabbitmq => cfg!(feature = "rabbitmq"),
        DeliveryKind::AzureAmqp => cfg!(feature = "azure_amqp"),
        _ => true,
    };
    match enabled.into_iter().find(|(_, kind)| !built(kind)) {
        Some((index, kind)) => Err(left_out(kind, index)),
        None => Ok(()),
    }
}

/// A kind that this build does not have.
pub(crate) fn left_out(kind: &DeliveryKind, index: usize) -> Unusable {
    let reason = format!("this build cannot deliver to {kind}: build wearlab with `--features {kind}`");
    Unusable::new(format!("preferences.enabled[{index}]"), reason)
}

fn preferences(preferences: &PipelinePreferences) -> Result<(), Unusable> {
    let enabled = &preferences.enabled;
    for (index, kind) in enabled.iter().enumerate() {
        if enabled[..index].contains(kind) {
            return Err(Unusable::new(format!("preferences.enabled[{index}]"), "is there twice"));
        }
    }
    // Without a kind, nothing is sent, whichever is preferred.
    match enabled.is_empty() || enabled.contains(&preferences.preferred) {
        true => Ok(()),
        false => Err(Unusable::new(
            "preferences.preferred",
            "is not in preferences.enabled: add it there, or prefer one that is",
        )),
    }
}

/// Checks that an enabled kind is one, and its block.
fn block(pipeline: &Pipeline, kind: &DeliveryKind, index: usize) -> Result<(), Unusable> {
    match kind {
        DeliveryKind::CloudPubsub => cloud_pubsub(given(kind, &pipeline.cloud_pubsub)?),
        DeliveryKind::Rabbitmq => rabbitmq(given(kind, &pipeline.rabbitmq)?),
        DeliveryKind::Svix => given(kind, &pipeline.svix).map(drop),
        DeliveryKind::AzureAmqp => azure_amqp(given(kind, &pipeline.azure_amqp)?),
        // The enum is open in the interface, but nobody here would deliver the events.
        _ => {
            let reason = format!(
                "there is no such kind of delivery: there are {}",
                known(DeliveryKind::KNOWN)
            );
            Err(Unusable::new(format!("preferences.enabled[{index}]"), reason))
        }
    }
}

fn given<'a, T>(kind: &DeliveryKind, block: &'a Option<T>) -> Result<&'a T, Unusable> {
    let missing = || Unusable::new(kind.as_str(), "is missing, and preferences.enabled names it");
    block.as_ref().ok_or_else(missing)
}

fn known<T: std::fmt::Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn filled(field: &str, text: &str, reason: &str) -> Result<(), Unusable> {
    match text.trim().is_empty() {
        true => Err(Unusable::new(field, reason)),
        false => Ok(()),
    }
}

/// Event types are one line of text.
fn plain(field: &str, text: &str) -> Result<(), Unusable> {
    match text.contains(char::is_control) {
        true => Err(Unusable::new(field, "has control characters, which no event type has")),
        false => Ok(()),
    }
}

fn cloud_pubsub(block: &CloudPubsub) -> Result<(), Unusable> {
    filled("cloud_pubsub.project", &block.project, "is empty")?;
    filled("cloud_pubsub.topic", &block.topic, "is empty")
}

fn rabbitmq(block: &Rabbitmq) -> Result<(), Unusable> {
    let url = Url::parse(block.uri.expose()).ok();
    let url = url.filter(|url| ["amqp", "amqps"].contains(&url.scheme()));
    if url.as_ref().is_some_and(|url| url.fragment().is_some()) {
        let reason = "has a fragment, after a #, which no broker is told: write a # in a user or password as %23";
        return Err(Unusable::new("rabbitmq.uri", reason));
    }
    if url.is_none_or(|url| url.host_str().is_none_or(str::is_empty)) {
        let reason = "is no address of a broker such as amqps://user:password@host:5671/vhost; in a user or password, \
            signs like : / ? # @ are written as %3A %2F %3F %23 %40";
        return Err(Unusable::new("rabbitmq.uri", reason));
    }
    if block.uri.expose().trim_end().ends_with('/') {
        let reason = "names a virtual host without a name: write /%2F, or no slash, for the default one";
        return Err(Unusable::new("rabbitmq.uri", reason));
    }
    filled("rabbitmq.exchange", &block.exchange, "is empty")
}

fn azure_amqp(block: &AzureAmqp) -> Result<(), Unusable> {
    let field = "azure_amqp.connection_string";
    let parts = ConnectionString::of(field, block.connection_string.expose())?;
    parts.need(&["Endpoint"])?;
    credential(field, &parts)?;
    let endpoint = parts.get("Endpoint").and_then(|endpoint| Url::parse(endpoint).ok());
    if endpoint.as_ref().is_some_and(is_more_than_an_address) {
        let reason = "has an Endpoint with more than a scheme, a host and a port: credentials are parts of their own";
        return Err(Unusable::new(field, reason));
    }
    if endpoint.is_none_or(|endpoint| endpoint.host_str().is_none_or(str::is_empty)) {
        let reason = "has an Endpoint that is no address such as sb://namespace.servicebus.windows.net/";
        return Err(Unusable::new(field, reason));
    }
    filled("azure_amqp.default_event_hub", &block.default_event_hub, "is empty")?;
    for (index, each) in block.event_hub_matchers.iter().enumerate() {
        matcher(&format!("azure_amqp.event_hub_matchers[{index}]"), each)?;
    }
    match Compression::KNOWN.contains(&block.compression) {
        true => Ok(()),
        false => {
            let reason = format!("there is no such compression: there are {}", known(Compression::KNOWN));
            Err(Unusable::new("azure_amqp.compression", reason))
        }
    }
}

/// Checks that there is a key with its name, or a signature that was made with one.
fn credential(field: &str, parts: &ConnectionString<'_>) -> Result<(), Unusable> {
    let key = parts.get("SharedAccessKeyName").or(parts.get("SharedAccessKey"));
    match (key, parts.get("SharedAccessSignature")) {
        (None, None) => parts.need(&["SharedAccessKeyName", "SharedAccessSignature"]),
        (Some(_), None) => ["SharedAccessKeyName", "SharedAccessKey"]
            .iter()
            .try_for_each(|name| parts.need(&[name])),
        (Some(_), Some(_)) => {
            let reason = "has a SharedAccessSignature besides a SharedAccessKey or its name: give one of the two";
            Err(Unusable::new(field, reason))
        }
        // One that is masked is looked at when it is put back.
        (None, Some(signature)) if signature.starts_with("SharedAccessSignature sr=") || signature == "****" => Ok(()),
        (None, Some(_)) => {
            let reason = "has a SharedAccessSignature that does not begin with `SharedAccessSignature sr=`";
            Err(Unusable::new(field, reason))
        }
    }
}

/// Whether a URL has more than where something is.
fn is_more_than_an_address(url: &Url) -> bool {
    let userinfo = !url.username().is_empty() || url.password().is_some();
    userinfo || url.query().is_some() || url.fragment().is_some()
}

fn matcher(field: &str, matcher: &EventHubMatcher) -> Result<(), Unusable> {
    for (name, text) in [
        ("event_type_prefix", &matcher.event_type_prefix),
        ("event_type_regex", &matcher.event_type_regex),
        ("event_hub", &matcher.event_hub),
    ] {
        if let Some(text) = text {
            let field = format!("{field}.{name}");
            filled(&field, text, "is empty: fill it or leave it out")?;
            plain(&field, text)?;
        }
    }
    if matcher.event_type_prefix.is_none() && matcher.event_type_regex.is_none() {
        let reason = "has no condition: give it event_type_prefix, event_type_regex, or both";
        return Err(Unusable::new(field, reason));
    }
    if let Some(pattern) = &matcher.event_type_regex
        && let Err(error) = RegexBuilder::new(pattern).size_limit(LARGEST_REGEX).build()
    {
        return Err(Unusable::new(format!("{field}.event_type_regex"), why(&error)));
    }
    match &matcher.blob_storage {
        Some(blobs) => blob_storage(&format!("{field}.blob_storage"), blobs),
        None if matcher.event_hub.is_some() => Ok(()),
        None => Err(Unusable::new(
            field,
            "has no target: give it event_hub, blob_storage, or both",
        )),
    }
}

/// What is wrong with a regular expression, without the expression, which the error shows in full.
fn why(error: &regex::Error) -> String {
    match error {
        regex::Error::Syntax(text) => {
            let last = text.lines().last().unwrap_or_default();
            let cause = last.trim_start_matches("error: ");
            format!("is no regular expression: {cause}")
        }
        _ => "is too large a regular expression".to_owned(),
    }
}

fn blob_storage(field: &str, blobs: &BlobStorage) -> Result<(), Unusable> {
    let within = format!("{field}.connection_string");
    let parts = ConnectionString::of(&within, blobs.connection_string.expose())?;
    let endpoint = parts.get("BlobEndpoint").and_then(|endpoint| Url::parse(endpoint).ok());
    if endpoint.as_ref().is_some_and(is_more_than_an_address) {
        let reason = "has a BlobEndpoint with more than a scheme, a host, a port and a path: credentials are parts of \
            their own";
        return Err(Unusable::new(within, reason));
    }
    let development = parts.get("UseDevelopmentStorage");
    if !development.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        parts.need(&["AccountName", "BlobEndpoint"])?;
        parts.need(&["AccountKey", "SharedAccessSignature"])?;
    }
    filled(&format!("{field}.container_name"), &blobs.container_name, "is empty")
}

/// `Name=value;...`, as Azure has it. Names are the same in any case.
struct ConnectionString<'a> {
    field: String,
    parts: Vec<(&'a str, &'a str)>,
}

impl<'a> ConnectionString<'a> {
    fn of(field: impl Into<String>, text: &'a str) -> Result<Self, Unusable> {
        let field = field.into();
        let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
        let parts: Option<_> = parts.map(|part| part.split_once('=')).collect();
        match parts {
            Some(parts) => Ok(Self { field, parts }),
            None => Err(Unusable::new(
                field,
                "is no connection string such as Name=value;Name=value",
            )),
        }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        let mut named = self
            .parts
            .iter()
            .filter(|part| part.0.trim().eq_ignore_ascii_case(name));
        named.next().map(|part| part.1.trim()).filter(|value| !value.is_empty())
    }

    /// Checks that there is one of some parts.
    fn need(&self, names: &[&str]) -> Result<(), Unusable> {
        match names.iter().any(|name| self.get(name).is_some()) {
            true => Ok(()),
            false => Err(Unusable::new(&self.field, format!("has no {}", names.join(" and no ")))),
        }
    }
}
