//! Masks the passwords and keys inside URIs and connection strings.

use wearlab_models::{Pipeline, Secret};

use super::connection_string::{MASK, parts};

/// A pipeline without its secrets.
pub fn mask(mut pipeline: Pipeline) -> Pipeline {
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
pub fn unmask(given: &mut Pipeline, stored: &Pipeline) {
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

/// `amqps://name:password@host/path` without the password, the query and the fragment. A name alone may be a token.
///
/// What is not plainly of this form is masked whole: a secret may stand anywhere in it.
fn uri(secret: &Secret) -> Secret {
    Secret::from(
        shown_uri(secret.expose()).unwrap_or_else(|| match secret.expose().split_once("://") {
            Some((scheme, _)) if is_scheme(scheme) => format!("{scheme}://{MASK}"),
            _ => MASK.to_owned(),
        }),
    )
}

fn shown_uri(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once("://")?;
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    // Somebody has not escaped a password: where it ends, nobody knows.
    if !is_scheme(scheme) || rest.contains('@') {
        return None;
    }
    let (credentials, host) = match authority.rsplit_once('@') {
        Some((credentials, host)) => (Some(credentials), host),
        None => (None, authority),
    };
    let credentials = match credentials.map(|credentials| credentials.split_once(':')) {
        Some(Some((name, _))) if is_plain(name) => format!("{name}:{MASK}@"),
        Some(Some(_)) => return None,
        Some(None) => format!("{MASK}@"),
        None => String::new(),
    };
    let path = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    let plain_host = host.chars().all(|c| c.is_ascii_alphanumeric() || "-._:[]".contains(c));
    let plain_path = path.chars().all(|c| c.is_ascii_alphanumeric() || "-._~/%".contains(c));
    let behind = match rest.as_bytes().get(path.len()) {
        Some(sign) => format!("{}{MASK}", char::from(*sign)),
        None => String::new(),
    };
    (plain_host && plain_path).then(|| format!("{scheme}://{credentials}{host}{path}{behind}"))
}

fn is_scheme(text: &str) -> bool {
    ["amqp", "amqps", "http", "https", "sb"].contains(&text)
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+~".contains(c))
}

/// `Name=value;...` with the value of every name masked that is not known to be harmless, and every name that is not
/// known: a key may hold a semicolon.
fn connection_string(secret: &Secret) -> Secret {
    const URLS: [&str; 2] = ["endpoint", "blobendpoint"];
    const WORDS: [&str; 7] = [
        "entitypath",
        "sharedaccesskeyname",
        "accountname",
        "defaultendpointsprotocol",
        "endpointsuffix",
        "usedevelopmentstorage",
        "usedevelopmentemulator",
    ];
    const SECRETS: [&str; 3] = ["sharedaccesskey", "sharedaccesssignature", "accountkey"];
    let masked = parts(secret.expose()).map(|part| {
        let (name, value) = match part {
            Ok(named) => named,
            Err(rest) if rest.trim().is_empty() => return String::new(),
            Err(_) => return MASK.to_owned(),
        };
        let known = name.trim().to_ascii_lowercase();
        match known.as_str() {
            known if URLS.contains(&known) => format!("{name}={}", uri(&Secret::from(value.trim())).expose()),
            known if WORDS.contains(&known) && is_plain(value.trim()) => format!("{name}={}", value.trim()),
            known if WORDS.contains(&known) || SECRETS.contains(&known) => format!("{name}={MASK}"),
            _ => MASK.to_owned(),
        }
    });
    Secret::from(masked.collect::<Vec<_>>().join(";"))
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
            ("amqp://me@mq.example?password=x", "amqp://****@mq.example?****"),
            ("amqp://me:a?b/c@mq.example", "amqp://****"),
            ("amqp://hush@mq.example/v", "amqp://****@mq.example/v"),
            ("amqp://me:pass@mq.example/v#hush", "amqp://me:****@mq.example/v#****"),
            ("amqp://mq.example?hush#hush", "amqp://mq.example?****"),
            ("amqp:\\\\me:hush@mq.example", "****"),
            ("amqp://mq.example\\hush", "amqp://****"),
            ("amqp://mq.example/v hush", "amqp://****"),
            ("hush://mq.example", "****"),
            ("amqps://mq.example/v?password=p@ss", "amqps://****"),
            ("amqp://me@h/v?password=x@y", "amqp://****"),
            ("amqp://me%3Apass@h/", "amqp://****@h/"),
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
            (
                "Endpoint=sb://u:hush@h;SharedAccessKeyName=hush me",
                "Endpoint=sb://u:****@h;SharedAccessKeyName=****",
            ),
            ("Endpoint=sb://hush@h/", "Endpoint=sb://****@h/"),
            ("Endpoint=hush", "Endpoint=****"),
            (
                "BlobEndpoint=https://u:hush@h/a?sig=hush;AccountKey=hu;sh=h",
                "BlobEndpoint=https://u:****@h/a?****;AccountKey=****;****",
            ),
        ] {
            assert_eq!(connection_string(&Secret::from(given)).expose(), shown);
        }
    }
}
