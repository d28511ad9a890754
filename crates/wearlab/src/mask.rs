//! Masks the passwords and keys inside addresses and connection strings.

use wearlab_models::{Pipeline, Secret};

const MASK: &str = "****";

/// A pipeline as it may be shown.
pub(crate) fn pipeline(mut pipeline: Pipeline) -> Pipeline {
    if let Some(rabbitmq) = &mut pipeline.rabbitmq {
        rabbitmq.uri = uri(&rabbitmq.uri);
    }
    if let Some(azure) = &mut pipeline.azure_amqp {
        azure.connection_string = connection_string(&azure.connection_string);
        for blob in azure
            .event_hub_matchers
            .iter_mut()
            .filter_map(|matcher| matcher.blob_storage.as_mut())
        {
            blob.connection_string = connection_string(&blob.connection_string);
        }
    }
    pipeline
}

/// Puts the secrets of a stored pipeline where a given one only has their masks.
///
/// What was exported without secrets, and imported again, loses none by that.
pub(crate) fn unmask(given: &mut Pipeline, stored: &Pipeline) {
    let keep = |given: &mut Secret, stored: &Secret, mask: fn(&Secret) -> Secret| {
        if *given == mask(stored) {
            *given = stored.clone();
        }
    };
    if let (Some(given), Some(stored)) = (&mut given.rabbitmq, &stored.rabbitmq) {
        keep(&mut given.uri, &stored.uri, uri);
    }
    let (Some(given), Some(stored)) = (&mut given.azure_amqp, &stored.azure_amqp) else {
        return;
    };
    keep(
        &mut given.connection_string,
        &stored.connection_string,
        connection_string,
    );
    let matchers = given.event_hub_matchers.iter_mut().zip(&stored.event_hub_matchers);
    for (given, stored) in matchers {
        if let (Some(given), Some(stored)) = (&mut given.blob_storage, &stored.blob_storage) {
            keep(
                &mut given.connection_string,
                &stored.connection_string,
                connection_string,
            );
        }
    }
}

/// `amqps://name:password@host/path` without the password, and without the query, which may hold one.
///
/// What is not plainly of this form is masked whole: a secret may stand anywhere in it.
fn uri(secret: &Secret) -> Secret {
    let shown = shown_uri(secret.expose()).unwrap_or_else(|| match secret.expose().split_once("://") {
        Some((scheme, _)) if is_plain(scheme) => format!("{scheme}://{MASK}"),
        _ => MASK.to_owned(),
    });
    Secret::from(shown)
}

fn shown_uri(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once("://")?;
    // The last `@` ends the credentials: a password may hold one, or a slash or a question mark, itself.
    let (credentials, address) = match rest.rsplit_once('@') {
        Some((credentials, address)) => (Some(credentials), address),
        None => (None, rest),
    };
    let name = match credentials.map(|credentials| credentials.split_once(':').ok_or(credentials)) {
        Some(Ok((name, _))) => format!("{name}:{MASK}@"),
        Some(Err(name)) => format!("{name}@"),
        None => String::new(),
    };
    let plain = is_plain(scheme) && is_plain(name.trim_end_matches(['@', ':', '*']));
    plain.then(|| format!("{scheme}://{name}{}", without_query(address)))
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+~".contains(c))
}

fn without_query(address: &str) -> String {
    match address.split_once('?') {
        Some((address, _)) => format!("{address}?{MASK}"),
        None => address.to_owned(),
    }
}

/// `Name=value;...` with the value of every name masked that is not known to be harmless.
fn connection_string(secret: &Secret) -> Secret {
    const HARMLESS: [&str; 9] = [
        "endpoint",
        "entitypath",
        "sharedaccesskeyname",
        "accountname",
        "defaultendpointsprotocol",
        "endpointsuffix",
        "blobendpoint",
        "usedevelopmentstorage",
        "usedevelopmentemulator",
    ];
    let masked: Vec<_> = secret
        .expose()
        .split(';')
        .map(|part| match part.split_once('=') {
            Some((name, _)) if !HARMLESS.contains(&name.trim().to_lowercase().as_str()) => format!("{name}={MASK}"),
            Some((name, value)) => format!("{name}={}", without_query(value)),
            None if part.trim().is_empty() => part.to_owned(),
            None => MASK.to_owned(),
        })
        .collect();
    Secret::from(masked.join(";"))
}

#[cfg(test)]
mod tests {
    use wearlab_models::Secret;

    use super::{connection_string, uri};

    #[test]
    fn uris_lose_their_passwords() {
        for (given, shown) in [
            (
                "amqps://me:pass@mq.example:5671/vhost",
                "amqps://me:****@mq.example:5671/vhost",
            ),
            ("amqp://me:p@ss:w@mq.example/", "amqp://me:****@mq.example/"),
            ("amqp://mq.example", "amqp://mq.example"),
            ("amqp://me@mq.example?password=x", "amqp://me@mq.example?****"),
            ("amqp://me:a?b/c@mq.example", "amqp://me:****@mq.example"),
            ("amqps://mq.example/v?password=p@ss", "amqps://****"),
            ("amqp://me@h/v?password=x@y", "amqp://****"),
            ("amqp://me%3Apass@h/", "amqp://****"),
            ("p@ss://x", "****"),
            ("just a password", "****"),
        ] {
            assert_eq!(uri(&Secret::from(given)).expose(), shown);
        }
    }

    #[test]
    fn connection_strings_show_what_is_harmless_alone() {
        for (given, shown) in [
            (
                "Endpoint=sb://h.example/;SharedAccessKeyName=send;SharedAccessKey=abc=;EntityPath=hub",
                "Endpoint=sb://h.example/;SharedAccessKeyName=send;SharedAccessKey=****;EntityPath=hub",
            ),
            (
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=k==;BlobEndpoint=https://b.example/a;",
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=****;BlobEndpoint=https://b.example/a;",
            ),
            ("SharedAccessSignature=sv=1&sig=x", "SharedAccessSignature=****"),
            ("nonsense", "****"),
        ] {
            assert_eq!(connection_string(&Secret::from(given)).expose(), shown);
        }
    }
}
