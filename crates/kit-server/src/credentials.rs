//! Credentials in requests.

use std::borrow::Cow;
use std::fmt;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use wearlab_kit_types::carrier::{Carrier, HasCarrier};

use crate::query::{decode, pairs};
use crate::{ApiError, Document, HeaderPrefix, Operation};

/// The parts of a request that may hold credentials.
#[derive(Clone, Copy)]
pub(crate) struct Sent<'r> {
    pub(crate) headers: &'r HeaderMap,
    pub(crate) query: &'r str,
    pub(crate) prefix: &'r HeaderPrefix,
}

/// User and password of `Authorization: Basic`. `Debug` does not show the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Basic {
    user: String,
    password: String,
}

impl Basic {
    /// The user, which has no colon.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The password. Keep it out of logs and error texts.
    pub fn password(&self) -> &str {
        &self.password
    }
}

impl fmt::Debug for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Basic")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// The headers that carry a credential here, the authoritative one first.
fn names(credential: impl HasCarrier, prefix: &HeaderPrefix) -> impl Iterator<Item = Cow<'static, str>> {
    credential.headers().iter().map(|name| prefix.name(name))
}

/// Describes the credential to send, for messages.
pub(crate) fn described(credential: impl HasCarrier, prefix: &HeaderPrefix) -> String {
    match credential.carrier() {
        Carrier::Query(name) => format!("the query parameter {name}"),
        Carrier::Cookie(name) => format!("the cookie {name}"),
        Carrier::Bearer => "Authorization: Bearer".to_owned(),
        Carrier::Basic => "Authorization: Basic".to_owned(),
        _ => names(credential, prefix)
            .next()
            .map(Cow::into_owned)
            .unwrap_or_default(),
    }
}

impl<'r> Sent<'r> {
    /// The credential, if there is one. Values that contradict each other are an error.
    pub(crate) fn find(&self, credential: impl HasCarrier) -> Result<Option<Cow<'r, str>>, ApiError> {
        let found = match credential.carrier() {
            Carrier::Query(name) => self.one(credential, pairs(self.query, name)),
            Carrier::Cookie(name) => self.one(credential, cookies(self.headers, name)),
            Carrier::Bearer => self.one(credential, self.authorization("bearer")),
            Carrier::Basic => self.one(credential, self.authorization("basic")),
            _ => self.header(credential).map(|value| value.map(Cow::Borrowed)),
        }?;
        Ok(found.filter(|value| !value.is_empty()))
    }

    /// The user and password of a credential, if there is one.
    pub(crate) fn basic(&self, credential: impl HasCarrier) -> Result<Option<Basic>, ApiError> {
        let Some(encoded) = self.find(credential)? else {
            return Ok(None);
        };
        let decoded = BASE64_STANDARD.decode(encoded.as_bytes()).ok();
        let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
        let login = text.as_deref().and_then(|text| text.split_once(':'));
        let (user, password) =
            login.ok_or_else(|| ApiError::unauthorized("Authorization: Basic is not user and password in Base64."))?;
        Ok(Some(Basic {
            user: user.to_owned(),
            password: password.to_owned(),
        }))
    }

    /// Fails unless the credentials of one of the operation's alternatives are present.
    pub(crate) fn require<D: Document>(&self, operation: &Operation<D>) -> Result<(), ApiError> {
        for alternative in operation.security {
            let mut complete = true;
            for credential in *alternative {
                complete &= self.find(*credential)?.is_some();
            }
            if complete {
                return Ok(());
            }
        }
        match operation.security {
            [] => Ok(()),
            _ => Err(self.missing(operation)),
        }
    }

    /// The error of a request without the required credentials.
    pub(crate) fn missing<D: Document>(&self, operation: &Operation<D>) -> ApiError {
        let wanted = operation.security.iter().map(|alternative| {
            let names = alternative.iter().map(|credential| described(*credential, self.prefix));
            names.collect::<Vec<_>>().join(" with ")
        });
        let wanted: Vec<_> = wanted.collect();
        ApiError::unauthorized(format!("Send a credential: {}.", wanted.join(", or ")))
    }

    fn header(&self, credential: impl HasCarrier) -> Result<Option<&'r str>, ApiError> {
        let mut found: Option<&str> = None;
        for name in names(credential, self.prefix) {
            for value in self.headers.get_all(name.as_ref()) {
                let value = value
                    .to_str()
                    .map_err(|_| ApiError::unauthorized(format!("The header {name} is not plain text.")))?;
                if found.is_some_and(|found| found != value) {
                    let names: Vec<_> = names(credential, self.prefix).collect();
                    return Err(ambiguous(&names.join(" and ")));
                }
                found = Some(value);
            }
        }
        Ok(found)
    }

    /// Returns the text behind a scheme in `Authorization`.
    fn authorization(&self, scheme: &'static str) -> impl Iterator<Item = Option<Cow<'r, str>>> + use<'r> {
        self.headers.get_all(AUTHORIZATION).iter().filter_map(move |value| {
            let Ok(value) = value.to_str() else { return Some(None) };
            let (found, rest) = value.split_once(' ')?;
            found
                .eq_ignore_ascii_case(scheme)
                .then(|| Some(Cow::Borrowed(rest.trim())))
        })
    }

    /// The single value of a credential, which may be repeated.
    fn one(
        &self,
        credential: impl HasCarrier,
        values: impl Iterator<Item = Option<Cow<'r, str>>>,
    ) -> Result<Option<Cow<'r, str>>, ApiError> {
        let mut found: Option<Cow<'_, str>> = None;
        for value in values {
            let name = || described(credential, self.prefix);
            let value = value
                .ok_or_else(|| ApiError::unauthorized(format!("The credential in {} is not plain text.", name())))?;
            if found.as_ref().is_some_and(|found| *found != value) {
                return Err(ambiguous(&name()));
            }
            found = Some(value);
        }
        Ok(found)
    }
}

fn ambiguous(names: &str) -> ApiError {
    ApiError::unauthorized(format!(
        "The credential in {names} is given more than once, and differs."
    ))
}

/// The values of a cookie. None if the bytes are not text.
pub(crate) fn cookies<'h>(
    headers: &'h HeaderMap,
    name: &'h str,
) -> impl Iterator<Item = Option<Cow<'h, str>>> + use<'h> {
    let lists = headers.get_all(COOKIE).iter();
    let pairs = lists.flat_map(|list| list.to_str().unwrap_or_default().split(';'));
    pairs.filter_map(move |pair| {
        let (key, value) = pair.trim().split_once('=')?;
        let value = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .unwrap_or(value);
        // A plus sign is not a space in a cookie.
        (key == name).then(|| {
            let text = value.replace('+', "%2B");
            decode(&text).map(|text| Cow::Owned(text.into_owned()))
        })
    })
}
