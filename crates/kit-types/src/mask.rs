//! Masks of secrets: URIs and connection strings without their passwords and keys.

use crate::Secret;

/// Placeholder for a secret, or for a part of one.
pub const MASK: &str = "****";

impl Secret {
    /// Returns the text without possible secrets: of a URI or a connection string, scheme, host, names and other
    /// harmless parts remain. Any other text is masked as a whole. The mask of a mask is the same.
    #[must_use]
    pub fn masked(&self) -> Self {
        let text = self.expose();
        if text.trim().is_empty() {
            return Self::from("");
        }
        let is_uri = text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme));
        let of_parts = connection_string(text).filter(|_| !is_uri);
        Self::from(of_parts.unwrap_or_else(|| uri(text)))
    }

    /// Returns true if it is a mask, or has one in place of a part.
    pub fn is_masked(&self) -> bool {
        self.expose().contains(MASK)
    }
}

/// `amqps://name:password@host/path` without the password, the query and the fragment. A name alone may be a token.
///
/// A text of any other form is masked whole: a secret may stand anywhere in it.
fn uri(text: &str) -> String {
    shown_uri(text).unwrap_or_else(|| match text.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => format!("{scheme}://{MASK}"),
        _ => MASK.to_owned(),
    })
}

fn shown_uri(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once("://")?;
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    // An unescaped password, whose end is unknown.
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
    ["amqp", "amqps", "http", "https", "nats", "sb", "tls"].contains(&text)
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+~".contains(c))
}

/// Names of parts of connection strings whose values are URLs.
const URLS: [&str; 2] = ["endpoint", "blobendpoint"];
/// Names of parts whose values are shown.
const WORDS: [&str; 7] = [
    "entitypath",
    "sharedaccesskeyname",
    "accountname",
    "defaultendpointsprotocol",
    "endpointsuffix",
    "usedevelopmentstorage",
    "usedevelopmentemulator",
];
/// Names of parts whose values are secrets.
const SECRETS: [&str; 3] = ["sharedaccesskey", "sharedaccesssignature", "accountkey"];

/// `Name=value;...` with masks for all values except harmless ones, and for unknown names: a key may hold a semicolon.
/// Returns none without a known name.
fn connection_string(text: &str) -> Option<String> {
    let mut is_one = false;
    let masked = text.split(';').map(|part| {
        let Some((name, value)) = part.split_once('=') else {
            return if part.trim().is_empty() { "" } else { MASK }.to_owned();
        };
        let (known, value) = (name.trim().to_ascii_lowercase(), value.trim());
        let [is_url, is_word, is_secret] = [&URLS[..], &WORDS, &SECRETS].map(|names| names.contains(&&*known));
        is_one |= is_url || is_word || is_secret;
        match (is_url, is_word, is_secret) {
            (true, ..) => format!("{name}={}", uri(value)),
            (_, true, _) if is_plain(value) => format!("{name}={value}"),
            (_, true, _) | (.., true) => format!("{name}={MASK}"),
            _ => MASK.to_owned(),
        }
    });
    let masked: Vec<_> = masked.collect();
    is_one.then(|| masked.join(";"))
}

#[cfg(test)]
mod tests {
    use crate::Secret;

    #[test]
    fn masks_stay_as_they_are() {
        for text in [
            "amqps://me:pass@mq.example/v?password=x#y",
            "amqps://mq.example/v?password=p@ss",
            "Endpoint=sb://u:hush@h;SharedAccessKey=k;more",
            "just a password",
        ] {
            let masked = Secret::from(text).masked();
            assert_eq!(masked.masked(), masked);
            assert!(masked.is_masked());
        }
        assert_eq!(Secret::from(" ").masked().expose(), "");
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
            ("amqp://me:pw;entitypath=hush;x@mq", "amqp://me:****@mq"),
            ("amqp://me@mq.example?password=x", "amqp://****@mq.example?****"),
            ("amqp://me:a?b/c@mq.example", "amqp://****"),
            ("amqp://hush@mq.example/v", "amqp://****@mq.example/v"),
            ("amqp://me:pass@mq.example/v#hush", "amqp://me:****@mq.example/v#****"),
            ("amqp://mq.example?hush#hush", "amqp://mq.example?****"),
            ("tls://me:pass@nats.example:4222", "tls://me:****@nats.example:4222"),
            ("nats://token@nats.example", "nats://****@nats.example"),
            ("tls://me:pass@a.example,tls://me:pass@b.example", "tls://****"),
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
            assert_eq!(Secret::from(given).masked().expose(), shown);
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
            assert_eq!(Secret::from(given).masked().expose(), shown);
        }
    }
}
