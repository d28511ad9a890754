//! Masks the passwords and keys inside URIs and connection strings.

use wearlab_models::{BlobStorage, EventHubMatcher, Pipeline, Secret};

use super::connection_string::{MASK, parts};
use crate::ConfigError;

/// A pipeline without its secrets.
pub fn mask(mut pipeline: Pipeline) -> Pipeline {
    if let Some(rabbitmq) = &mut pipeline.rabbitmq {
        rabbitmq.uri = uri(&rabbitmq.uri);
    }
    if let Some(azure) = &mut pipeline.azure_amqp {
        azure.connection_string = connection_string(&azure.connection_string);
        azure.event_hub_matchers = std::mem::take(&mut azure.event_hub_matchers)
            .into_iter()
            .map(masked)
            .collect();
    }
    pipeline
}

/// Puts the secrets of a stored pipeline where a given one only has their masks. Containers of blobs are matched by their
/// matchers, and by their names and masks.
///
/// What was exported without secrets, and imported again, loses none by that.
///
/// # Errors
///
/// For a mask that would replace a secret: it is not the mask of the stored one.
pub fn unmask(given: &mut Pipeline, stored: &Pipeline) -> Result<(), ConfigError> {
    if let (Some(given), Some(stored)) = (&mut given.rabbitmq, &stored.rabbitmq) {
        keep(&mut given.uri, &stored.uri, uri, "rabbitmq.uri")?;
    }
    if let (Some(given), Some(stored)) = (&mut given.azure_amqp, &stored.azure_amqp) {
        keep(
            &mut given.connection_string,
            &stored.connection_string,
            connection_string,
            "azure_amqp.connection_string",
        )?;
        for (index, matcher) in given.event_hub_matchers.iter_mut().enumerate() {
            let field = format!("azure_amqp.event_hub_matchers[{index}].blob_storage.connection_string");
            keep_blob(matcher, &stored.event_hub_matchers, &field)?;
        }
    }
    Ok(())
}

/// Fails where a mask stands for no secret, as after [`unmask`] of a pipeline that has none stored.
pub fn check_unmasked(pipeline: &Pipeline) -> Result<(), ConfigError> {
    let rabbitmq = pipeline
        .rabbitmq
        .iter()
        .map(|block| ("rabbitmq.uri".to_owned(), &block.uri));
    let azure = pipeline.azure_amqp.iter().flat_map(|block| {
        let own = ("azure_amqp.connection_string".to_owned(), &block.connection_string);
        let blobs = block
            .event_hub_matchers
            .iter()
            .enumerate()
            .filter_map(|(index, matcher)| {
                let field = format!("azure_amqp.event_hub_matchers[{index}].blob_storage.connection_string");
                Some((field, &matcher.blob_storage.as_ref()?.connection_string))
            });
        std::iter::once(own).chain(blobs)
    });
    match rabbitmq.chain(azure).find(|(_, secret)| secret.expose().contains(MASK)) {
        Some((field, _)) => {
            let reason = "has a masked secret, and none is stored; give the secret itself";
            Err(ConfigError::new(&field, reason))
        }
        None => Ok(()),
    }
}

/// Puts the secret of a container where a matcher has its mask: that of the stored matcher which shows the same, or of the only
/// stored secret with this name and mask.
fn keep_blob(given: &mut EventHubMatcher, stored: &[EventHubMatcher], field: &str) -> Result<(), ConfigError> {
    let shown: Vec<_> = stored
        .iter()
        .filter_map(|matcher| Some((masked(matcher.clone()), matcher.blob_storage.as_ref()?)))
        .collect();
    let secrets_of = |is_match: &dyn Fn(&EventHubMatcher) -> bool| {
        let matching = shown.iter().filter(|(shown, _)| is_match(shown));
        let mut secrets: Vec<_> = matching.map(|(_, blob)| &blob.connection_string).collect();
        secrets.dedup();
        secrets
    };
    let same = secrets_of(&|shown| shown == given);
    let Some(blob) = &given.blob_storage else {
        return Ok(());
    };
    if !is_masked(&blob.connection_string) {
        return Ok(());
    }
    let alike = || secrets_of(&|shown| shown.blob_storage.as_ref() == Some(blob));
    let named = |stored: &&BlobStorage| stored.container_name == blob.container_name;
    let secret = match same.is_empty().then(alike).unwrap_or(same).as_slice() {
        [secret] => (*secret).clone(),
        [] if shown.iter().any(|(_, blob)| named(blob)) => return Err(ConfigError::new(field, DIFFERS)),
        // What was never stored is left to the check for masks.
        [] => return Ok(()),
        _ => {
            let reason = "has a masked secret, and several are stored for this container; give the secret itself";
            return Err(ConfigError::new(field, reason));
        }
    };
    if let Some(blob) = &mut given.blob_storage {
        blob.connection_string = secret;
    }
    Ok(())
}

/// A matcher without its secret.
fn masked(mut matcher: EventHubMatcher) -> EventHubMatcher {
    if let Some(blob) = &mut matcher.blob_storage {
        blob.connection_string = connection_string(&blob.connection_string);
    }
    matcher
}

fn is_masked(secret: &Secret) -> bool {
    secret.expose().contains(MASK)
}

const DIFFERS: &str = "has a masked secret and differs from the stored value in other parts; give the secret itself";

fn keep(given: &mut Secret, stored: &Secret, mask: fn(&Secret) -> Secret, field: &str) -> Result<(), ConfigError> {
    if *given == mask(stored) {
        *given = stored.clone();
    } else if is_masked(given) && !is_masked(stored) {
        return Err(ConfigError::new(field, DIFFERS));
    }
    Ok(())
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
    use wearlab_models::{Pipeline, Secret};

    use super::{connection_string, mask, unmask, uri};

    fn pipeline(containers: &[(&str, &str)]) -> Pipeline {
        let matchers = containers.iter().map(|(name, key)| {
            serde_json::json!({"event_type_regex": "x", "event_hub": "hub", "blob_storage": {
                "container_name": name, "connection_string": format!("AccountName=a;AccountKey={key}")}})
        });
        let block = serde_json::json!({"connection_string": "Endpoint=sb://h/;SharedAccessKey=key",
            "default_event_hub": "all", "compression": "none", "event_hub_matchers": matchers.collect::<Vec<_>>()});
        serde_json::from_value(serde_json::json!({"team_id": "00000000-0000-0000-0000-000000000001",
            "preferences": {"preferred": "azure_amqp", "enabled": ["azure_amqp"]}, "push_historical_data": false,
            "provider_raw_data": false, "event_type_prefixes": [], "azure_amqp": block}))
        .expect("a pipeline")
    }

    #[test]
    fn containers_get_the_secrets_of_their_names() {
        let stored = pipeline(&[("one", "key1"), ("two", "key2")]);
        let mut given = mask(pipeline(&[("two", "key2"), ("one", "key1"), ("new", "key3")]));
        unmask(&mut given, &stored).expect("they are the stored ones");
        let keys = given.azure_amqp.expect("a block").event_hub_matchers;
        let keys: Vec<_> = keys.into_iter().filter_map(|matcher| matcher.blob_storage).collect();
        let ends = keys
            .iter()
            .map(|blob| blob.connection_string.expose().rsplit_once('=').map(|(_, end)| end));
        assert!(ends.eq([Some("key2"), Some("key1"), Some("****")]));
    }

    #[test]
    fn containers_of_one_name_keep_their_own_secrets() {
        let keys = |pipeline: Pipeline| {
            let matchers = pipeline.azure_amqp.expect("a block").event_hub_matchers;
            let blobs = matchers.into_iter().filter_map(|matcher| matcher.blob_storage);
            blobs
                .map(|blob| blob.connection_string.expose().to_owned())
                .collect::<Vec<_>>()
        };
        let mut stored = pipeline(&[("one", "key1"), ("one", "key2")]);
        let of = |stored: &mut Pipeline, index: usize, regex: &str| {
            let matcher = &mut stored.azure_amqp.as_mut().expect("a block").event_hub_matchers[index];
            matcher.event_type_regex = Some(regex.to_owned());
        };
        // By one account, for events of their own.
        of(&mut stored, 1, "y");
        let mut given = mask(stored.clone());
        given.azure_amqp.as_mut().expect("a block").event_hub_matchers.reverse();
        unmask(&mut given, &stored).expect("a read can be sent back");
        assert!(keys(given)[0].ends_with("key2"));
        // Which one is meant, nobody knows.
        let mut given = mask(stored.clone());
        of(&mut given, 0, "z");
        let error = unmask(&mut given, &stored).expect_err("two secrets");
        assert!(error.to_string().contains("several are stored"), "{error}");
        // By two accounts, the mask tells.
        let matchers = &mut stored.azure_amqp.as_mut().expect("a block").event_hub_matchers;
        let blob = matchers[1].blob_storage.as_mut().expect("a container");
        blob.connection_string = Secret::from("AccountName=b;AccountKey=key2");
        let mut given = mask(stored.clone());
        of(&mut given, 1, "z");
        unmask(&mut given, &stored).expect("a read can be sent back");
        assert!(keys(given)[1].ends_with("key2"));
    }

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
