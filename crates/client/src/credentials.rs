//! The keys and tokens of a client.

use std::fmt;

use reqwest::header::{HeaderMap, HeaderValue};

use crate::operations::Credential;
use crate::{Error, Operation};

/// Keys and tokens, as header values. `Debug` shows which are there, not what they are.
#[derive(Clone, Default)]
pub(crate) struct Credentials(Vec<(Credential, HeaderValue)>);

impl Credentials {
    /// Sets a credential; false where it cannot be a header.
    pub(crate) fn set(&mut self, credential: Credential, value: &str) -> bool {
        let Ok(mut value) = HeaderValue::from_str(value) else {
            return false;
        };
        value.set_sensitive(true);
        self.0.retain(|(known, _)| *known != credential);
        self.0.push((credential, value));
        true
    }

    /// Adds what an operation takes of them.
    pub(crate) fn apply(&self, operation: &Operation, headers: &mut HeaderMap) -> Result<(), Error> {
        let mut any = false;
        for (credential, value) in self.0.iter().filter(|(known, _)| operation.credentials.contains(known)) {
            headers.insert(credential.header(), value.clone());
            any = true;
        }
        if any {
            return Ok(());
        }
        let wanted: Vec<_> = operation
            .credentials
            .iter()
            .map(|credential| credential.header())
            .collect();
        Err(Error::invalid_request(format!(
            "{} needs a credential that the client does not have: {}",
            operation.id,
            wanted.join(" or ")
        )))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(credential, _)| credential))
            .finish()
    }
}
