//! Errors of token endpoints.

/// Error of a request for tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenError {
    /// The provider refuses the code or the refresh token (`invalid_grant`): trying again does not help.
    Grant,
    /// The user must act at the provider first, such as renew a membership or a consent. The grant stays.
    UserAction,
    /// The provider refuses the client or the request, by an error code of OAuth: the provider's settings are wrong.
    Client(&'static str),
    /// The provider did not respond, or not as it should. `sent`: the request may have come to its end there.
    Unavailable { sent: bool, reason: &'static str },
}

impl TokenError {
    pub(super) fn unavailable(sent: bool, reason: &'static str) -> Self {
        Self::Unavailable { sent, reason }
    }
}
