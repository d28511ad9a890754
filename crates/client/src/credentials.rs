//! The keys and tokens of a client.

use std::borrow::Cow;
use std::fmt;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::operations::Credential;
use crate::{Error, Operation};

/// What the document's header names begin with, in lower case.
const DOCUMENTED: &str = "x-service-";

/// Keys and tokens, as header values. `Debug` shows which are there, not what they are.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    values: Vec<(Credential, HeaderValue)>,
    /// Headers that were chosen in place of the first one of a credential, as the document names them.
    chosen: Vec<(Credential, &'static str)>,
    /// What header names begin with instead, where the service was given another word.
    prefix: Option<String>,
}

impl Credentials {
    /// Sets a credential, or says what is wrong with it.
    pub(crate) fn set(&mut self, credential: Credential, value: &str) -> Result<(), &'static str> {
        if value.trim().is_empty() {
            return Err("is empty");
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| "is not printable ASCII")?;
        value.set_sensitive(true);
        self.values.retain(|(known, _)| *known != credential);
        self.values.push((credential, value));
        Ok(())
    }

    /// Chooses among the names that the document gives a credential's header; false where it is none of them.
    pub(crate) fn set_header(&mut self, credential: Credential, header: &str) -> bool {
        let known = credential
            .headers()
            .iter()
            .find(|name| header.eq_ignore_ascii_case(name));
        self.chosen.retain(|(known, _)| *known != credential);
        self.chosen.extend(known.map(|name| (credential, *name)));
        known.is_some()
    }

    /// Sets the word that stands for `service` in header names; false where it cannot be part of one.
    pub(crate) fn set_prefix(&mut self, word: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let good = (1..=32).contains(&word.len()) && word.bytes().all(plain);
        self.prefix = Some(format!("x-{word}-"));
        good && !word.starts_with('-') && !word.ends_with('-')
    }

    /// The name of a credential's header, at the service that is called.
    fn name(&self, credential: Credential) -> Cow<'static, str> {
        let chosen = self.chosen.iter().find(|(known, _)| *known == credential);
        let documented = chosen.map_or(credential.header(), |(_, name)| name);
        match (&self.prefix, documented.strip_prefix(DOCUMENTED)) {
            (Some(prefix), Some(rest)) => Cow::Owned(format!("{prefix}{rest}")),
            _ => Cow::Borrowed(documented),
        }
    }

    /// Adds what an operation takes of them.
    pub(crate) fn apply(&self, operation: &Operation, headers: &mut HeaderMap) -> Result<(), Error> {
        let mut any = false;
        for (credential, value) in self
            .values
            .iter()
            .filter(|(known, _)| operation.credentials.contains(known))
        {
            let name = self.name(*credential);
            let name = HeaderName::try_from(&*name)
                .map_err(|_| Error::invalid_request(format!("{name} cannot be a header")))?;
            headers.insert(name, value.clone());
            any = true;
        }
        if any {
            return Ok(());
        }
        let ways: Vec<_> = (operation.credentials.iter())
            .map(|credential| format!("{} ({})", way_to_set(*credential), self.name(*credential)))
            .collect();
        Err(Error::invalid_request(format!(
            "{} needs a credential that the client does not have: {}",
            operation.id,
            ways.join(", or ")
        )))
    }
}

/// What to call, or which variable to set, for a credential. Others than these have no method of their own.
fn way_to_set(credential: Credential) -> String {
    let known = [
        (Credential::TeamApiKey, "api_key", "WEARLAB_API_KEY"),
        (Credential::LinkToken, "link_token", "WEARLAB_LINK_TOKEN"),
        (Credential::ManagementKey, "management_key", "WEARLAB_MANAGEMENT_KEY"),
    ];
    match known.iter().find(|(known, ..)| *known == credential) {
        Some((_, method, variable)) => format!("call `.{method}(...)` of the builder, or set {variable}"),
        None => format!("call `.credential(Credential::{credential:?}, ...)` of the builder"),
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.values.iter().map(|(credential, _)| credential))
            .finish()
    }
}
