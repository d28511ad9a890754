//! Deviations of simulated providers from OAuth 2.0.

use std::time::Duration;

/// Deviations of the endpoints of a provider. The default has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deviations {
    /// The client authenticates itself in the body alone.
    pub is_body_only: bool,
    /// Scope without which a consent has no refresh token, and a refresh is refused.
    pub refresh_scope: Option<&'static str>,
    /// A refresh ends the access tokens of the grant.
    pub ends_access_tokens: bool,
    /// Minimum characters of `state`.
    pub min_state_length: usize,
    /// A refresh token stays valid: a refresh gives no new one.
    pub keeps_refresh_tokens: bool,
    /// Lifetime of a code, if it is not 10 minutes.
    pub code_lifetime: Option<Duration>,
}
