//! The keys and tokens of a client.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::utf8_percent_encode;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};
use wearlab_kit_types::Secret;
use wearlab_kit_types::carrier::{Carrier, HasCarrier};

use crate::path::UNRESERVED;
use crate::{Document, Error, Operation};

/// Configurable prefix of header names, as the document has it, in lower case.
const DOCUMENTED: &str = "x-service-";

/// Any error of a provider of tokens.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A token that is being obtained.
pub(crate) type Token = Pin<Box<dyn Future<Output = Result<Secret, BoxError>> + Send>>;

/// Obtains a token. Its argument is the refused one, if there is one.
pub(crate) type Provider = Arc<dyn Fn(Option<Secret>) -> Token + Send + Sync>;

/// Source of a credential's value.
#[derive(Clone)]
enum Value {
    Fixed(Secret),
    Provided(Provider),
}

/// Keys and tokens. `Debug` shows their names, not their values.
#[derive(Clone)]
pub(crate) struct Credentials<D: Document> {
    values: Vec<(D::Credential, Value)>,
    /// Headers chosen in place of the first one of a credential, as the document names them.
    chosen: Vec<(D::Credential, &'static str)>,
    /// Prefix of header names in place of the document's, if the service has another one.
    prefix: Option<String>,
}

impl<D: Document> Default for Credentials<D> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            chosen: Vec::new(),
            prefix: None,
        }
    }
}

/// The credentials of one attempt, which are sent with it.
pub(crate) struct Sent<D: Document> {
    values: Vec<(D::Credential, Secret)>,
    provided: Option<(D::Credential, Secret)>,
}

impl<D: Document> Sent<D> {
    /// The token of a provider, if there is one.
    pub(crate) fn provided(self) -> Option<(D::Credential, Secret)> {
        self.provided
    }
}

impl<D: Document> Credentials<D> {
    /// Sets a credential. Fails if it is invalid.
    pub(crate) fn set(&mut self, credential: D::Credential, value: &str) -> Result<(), &'static str> {
        if let Some(complaint) = complaint(credential, value) {
            return Err(complaint);
        }
        self.insert(credential, Value::Fixed(Secret::new(value)));
        Ok(())
    }

    /// Sets the provider of a credential.
    pub(crate) fn set_provider(&mut self, credential: D::Credential, provider: Provider) {
        self.insert(credential, Value::Provided(provider));
    }

    fn insert(&mut self, credential: D::Credential, value: Value) {
        self.values.retain(|(known, _)| *known != credential);
        self.values.push((credential, value));
    }

    /// Chooses among the header names of a credential in the document. False if it has no such name.
    pub(crate) fn set_header(&mut self, credential: D::Credential, header: &str) -> bool {
        let known = credential
            .headers()
            .iter()
            .find(|name| header.eq_ignore_ascii_case(name));
        self.chosen.retain(|(known, _)| *known != credential);
        self.chosen.extend(known.map(|name| (credential, *name)));
        known.is_some()
    }

    /// Sets the word that stands for `service` in header names. False if it cannot be part of one.
    pub(crate) fn set_prefix(&mut self, word: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let good = (1..=32).contains(&word.len()) && word.bytes().all(plain);
        self.prefix = Some(format!("x-{word}-"));
        good && !word.starts_with('-') && !word.ends_with('-')
    }

    /// The name of a credential's header, at the service that is called.
    fn name(&self, credential: D::Credential, documented: &'static str) -> Cow<'static, str> {
        let chosen = self.chosen.iter().find(|(known, _)| *known == credential);
        let documented = chosen.map_or(documented, |(_, name)| name);
        match (&self.prefix, documented.strip_prefix(DOCUMENTED)) {
            (Some(prefix), Some(rest)) => Cow::Owned(format!("{prefix}{rest}")),
            _ => Cow::Borrowed(documented),
        }
    }

    /// The credentials to send with an operation, in the order of its alternatives. `refused` is a token that the
    /// service rejected, and whose provider is called for another one.
    pub(crate) async fn of(
        &self,
        operation: &Operation<D>,
        refused: Option<&(D::Credential, Secret)>,
    ) -> Result<Sent<D>, Error> {
        let wanted = self.wanted(operation)?;
        let mut sent = Sent {
            values: Vec::with_capacity(wanted.len()),
            provided: None,
        };
        for (credential, value) in wanted {
            let value = match value {
                Value::Fixed(value) => value.clone(),
                Value::Provided(provider) => {
                    let refused = refused.filter(|(refused, _)| *refused == credential);
                    let token = provider(refused.map(|(_, token)| token.clone()))
                        .await
                        .map_err(Error::Token)?;
                    if let Some(complaint) = complaint(credential, token.expose()) {
                        return Err(Error::invalid_request(format!("the provided token {complaint}")));
                    }
                    sent.provided = Some((credential, token.clone()));
                    token
                }
            };
            sent.values.push((credential, value));
        }
        Ok(sent)
    }

    /// The credentials that the client has of those that an operation takes: first the ones of an alternative that is
    /// complete, then others, which may let the caller do more. Two that share a header are never sent together.
    fn wanted(&self, operation: &Operation<D>) -> Result<Vec<(D::Credential, &Value)>, Error> {
        let value = |credential: D::Credential| self.values.iter().find(|(known, _)| *known == credential);
        let complete =
            |alternative: &&&[D::Credential]| alternative.iter().all(|credential| value(*credential).is_some());
        // A longer one identifies the caller better. One without credentials is always complete.
        let longest = operation.security.iter().filter(complete).max_by_key(|all| all.len());
        if longest.is_none() && !operation.security.is_empty() {
            return Err(self.missing(operation));
        }
        let all = longest.into_iter().chain(operation.security).copied().flatten();
        let mut wanted: Vec<(D::Credential, &Value)> = Vec::new();
        for (credential, value) in all.filter_map(|credential| value(*credential)) {
            let authorizes = |credential: D::Credential| credential.headers() == ["authorization"];
            let clashes =
                |(known, _): &(D::Credential, _)| known == credential || authorizes(*known) && authorizes(*credential);
            if !wanted.iter().any(clashes) {
                wanted.push((*credential, value));
            }
        }
        Ok(wanted)
    }

    fn missing(&self, operation: &Operation<D>) -> Error {
        let ways = operation.security.iter().map(|alternative| {
            let ways = alternative.iter().map(|credential| {
                let place = match credential.carrier() {
                    Carrier::Header(names) => self.name(*credential, names[0]).into_owned(),
                    Carrier::Query(name) => format!("query parameter {name}"),
                    Carrier::Cookie(name) => format!("cookie {name}"),
                    _ => "Authorization".to_owned(),
                };
                format!("{} ({place})", way_to_set::<D>(*credential))
            });
            ways.collect::<Vec<_>>().join(", and ")
        });
        let ways: Vec<_> = ways.collect();
        Error::invalid_request(format!(
            "{} needs a credential that the client does not have: {}",
            operation.id,
            ways.join(", or ")
        ))
    }

    /// Adds credentials to a request.
    pub(crate) fn apply(&self, sent: &Sent<D>, url: &mut Url, headers: &mut HeaderMap) -> Result<(), Error> {
        for (credential, value) in &sent.values {
            let value = value.expose();
            let (name, text) = match credential.carrier() {
                Carrier::Query(name) => {
                    url.query_pairs_mut().append_pair(name, value);
                    continue;
                }
                Carrier::Cookie(name) => (COOKIE, cookie(headers, name, value)),
                Carrier::Bearer => (AUTHORIZATION, format!("Bearer {value}")),
                Carrier::Basic => (AUTHORIZATION, format!("Basic {}", BASE64_STANDARD.encode(value))),
                Carrier::Header(names) => {
                    let name = self.name(*credential, names[0]);
                    let name = HeaderName::try_from(&*name)
                        .map_err(|_| Error::invalid_request(format!("{name} cannot be a header")))?;
                    (name, value.to_owned())
                }
                _ => continue,
            };
            let mut text = HeaderValue::try_from(text)
                .map_err(|_| Error::invalid_request("a credential is not printable ASCII"))?;
            text.set_sensitive(true);
            headers.insert(name, text);
        }
        Ok(())
    }
}

/// The cookies of a request with one more.
pub(crate) fn cookie(headers: &HeaderMap, name: &str, value: &str) -> String {
    let before = headers.get(COOKIE).and_then(|value| value.to_str().ok());
    let pair = format!("{name}={}", utf8_percent_encode(value, UNRESERVED));
    before.map_or(pair.clone(), |before| format!("{before}; {pair}"))
}

/// Error of a credential's value.
fn complaint(credential: impl HasCarrier, value: &str) -> Option<&'static str> {
    if value.trim().is_empty() {
        Some("is empty")
    } else if credential.carrier() == Carrier::Basic {
        (!value.contains(':')).then_some("is not a user and a password with a colon between them")
    } else {
        HeaderValue::from_str(value)
            .is_err()
            .then_some("is not printable ASCII")
    }
}

/// The setter to call, or the variable to set, for a credential.
fn way_to_set<D: Document>(credential: D::Credential) -> String {
    match D::SETTERS.iter().find(|(known, ..)| *known == credential) {
        Some((_, method, variable)) => format!("call `.{method}(...)` of the builder, or set {variable}"),
        None => format!("call `.credential(Credential::{credential:?}, ...)` of the builder"),
    }
}

impl<D: Document> fmt::Debug for Credentials<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.values.iter().map(|(credential, _)| credential))
            .finish()
    }
}
