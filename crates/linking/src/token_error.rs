//! Errors of token endpoints.

/// Error of a request for tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenError {
    /// The provider rejects the code or the refresh token (`invalid_grant`): a retry does not help.
    Grant,
    /// The user must act at the provider first, such as by renewing a membership or a consent. The grant stays valid.
    UserAction,
    /// The provider rejects the client or the request, by an error code of OAuth: the provider's settings are wrong.
    Client(&'static str),
    /// The provider did not respond, or its response is invalid. `sent`: the provider may have processed the request.
    Unavailable { sent: bool, reason: &'static str },
}

impl TokenError {
    pub(super) fn unavailable(sent: bool, reason: &'static str) -> Self {
        Self::Unavailable { sent, reason }
    }
}
