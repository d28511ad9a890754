//! Servers: `host`, `basePath` and `schemes` as URLs.

use serde_json::{Map, Value, json};

use super::texts::texts;

/// The server of a document.
pub(super) struct Server {
    scheme: String,
    rest: String,
}

impl Server {
    /// Takes the members of the root.
    pub(super) fn take(root: &mut Map<String, Value>) -> Self {
        let mut take = |key: &str| match root.shift_remove(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (host, base) = (take("host"), take("basePath"));
        let host = host.split("://").last().unwrap_or_default().trim_end_matches('/');
        let base = base.trim_matches('/');
        let slash = if base.is_empty() { "" } else { "/" };
        let schemes = texts(root.shift_remove("schemes")).unwrap_or_default();
        let (scheme, host) = match host {
            "" => ("http", "localhost"),
            host => (scheme(&schemes).unwrap_or("https"), host),
        };
        Self {
            scheme: scheme.to_owned(),
            rest: format!("{host}{slash}{base}"),
        }
    }

    pub(super) fn list(&self) -> Value {
        json!([{ "url": format!("{}://{}", self.scheme, self.rest) }])
    }

    /// The servers of an operation that does not have the scheme of the document.
    pub(super) fn of_operation(&self, schemes: &[String]) -> Option<Value> {
        let scheme = scheme(schemes).filter(|_| !schemes.contains(&self.scheme))?;
        Some(json!([{ "url": format!("{scheme}://{}", self.rest) }]))
    }
}

/// Selects the scheme of requests over HTTP.
fn scheme(schemes: &[String]) -> Option<&str> {
    ["https", "http"]
        .into_iter()
        .find(|wanted| schemes.iter().any(|scheme| scheme == wanted))
}
