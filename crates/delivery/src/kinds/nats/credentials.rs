//! Logins at NATS servers.

use wearlab_models::{MASK, Secret};

/// A login. `Debug` does not show its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// A user with a password.
    User {
        /// The user.
        user: String,
        /// The password.
        password: Secret,
    },
    /// A token.
    Token(Secret),
    /// The content of a credentials file: a JWT of a user, and the seed of its nkey.
    Credentials(Secret),
    /// The seed of an nkey.
    Seed(Secret),
}

impl Login {
    /// Parses `credentials` of a pipeline. An error quotes no part of them.
    pub(super) fn parse(credentials: &Secret) -> Result<Self, &'static str> {
        let text = credentials.expose().trim();
        let is_seed = text.len() == 58 && text.starts_with("SU") && text.chars().all(|c| c.is_ascii_alphanumeric());
        let is_file = text.contains("BEGIN NATS USER JWT") && text.contains("BEGIN USER NKEY SEED");
        match (is_seed, is_file) {
            (true, _) => Ok(Self::Seed(Secret::from(text))),
            // A regular expression of the client wants a line break behind the last line.
            (_, true) => Ok(Self::Credentials(Secret::from(format!("{text}\n")))),
            _ if text == MASK => Ok(Self::Seed(Secret::from(text))),
            _ => Err(
                "is neither the content of a credentials file, from -----BEGIN NATS USER JWT----- to the end, nor the \
                 seed of an nkey of a user (SU...)",
            ),
        }
    }

    /// Returns true if the secret is only the mask of one.
    pub(super) fn is_masked(&self) -> bool {
        let (Self::User { password: secret, .. }
        | Self::Token(secret)
        | Self::Credentials(secret)
        | Self::Seed(secret)) = self;
        secret.expose() == MASK
    }
}
