//! Operator of a store, with access to all of it by a secret of one process.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;
use uuid::Uuid;
use wearlab_models::Secret;

/// Prefix of the id of an organisation in a credential.
const ORGANISATION: &str = "org";
/// Prefix of the id of a team.
const TEAM: &str = "team";

/// Secret of an operator, and of its credentials. A service without one accepts no such credential; a service with one
/// accepts no other.
pub struct Operator(String);

impl Operator {
    /// Creates an operator from a random secret.
    pub fn new(secret: [u8; 32]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(secret))
    }

    /// Creates a credential in place of a management key of an organisation, with all scopes.
    pub fn organisation_key(&self, org_id: &str) -> Secret {
        // An id may have characters that are invalid in a header.
        self.credential(ORGANISATION, &URL_SAFE_NO_PAD.encode(org_id))
    }

    /// Creates a credential in place of a key of a team, with all scopes.
    pub fn team_key(&self, team_id: Uuid) -> Secret {
        self.credential(TEAM, &team_id.to_string())
    }

    fn credential(&self, kind: &str, id: &str) -> Secret {
        Secret::from(format!("{}.{kind}.{id}", self.0))
    }

    /// Returns true if a credential was created with this secret.
    pub(super) fn made(&self, credential: &str) -> bool {
        let secret = credential.split_once('.').map(|(secret, _)| secret);
        secret.is_some_and(|secret| secret.as_bytes().ct_eq(self.0.as_bytes()).into())
    }

    /// Returns the id in a credential of a kind, if it was created with this secret.
    fn id<'c>(&self, credential: &'c str, kind: &str) -> Option<&'c str> {
        let (_, rest) = credential.split_once('.').filter(|_| self.made(credential))?;
        rest.strip_prefix(kind)?.strip_prefix('.')
    }

    pub(super) fn org_id(&self, credential: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(self.id(credential, ORGANISATION)?).ok()?;
        String::from_utf8(bytes).ok()
    }

    pub(super) fn team_id(&self, credential: &str) -> Option<Uuid> {
        self.id(credential, TEAM)?.parse().ok()
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operator").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Operator;
    use uuid::Uuid;

    #[test]
    fn a_credential_is_good_for_its_kind_and_its_secret_alone() {
        let (operator, other) = (Operator::new([1; 32]), Operator::new([2; 32]));
        let (organisation, team) = (operator.organisation_key("ö.g"), operator.team_key(Uuid::max()));
        let (organisation, team) = (organisation.expose(), team.expose());
        assert!(
            organisation.bytes().all(|byte| byte.is_ascii_graphic()),
            "it fits into a header"
        );
        assert_eq!(operator.org_id(organisation).as_deref(), Some("ö.g"));
        assert_eq!(operator.team_id(team), Some(Uuid::max()));
        assert_eq!((operator.team_id(organisation), operator.org_id(team)), (None, None));
        assert_eq!((other.org_id(organisation), other.team_id(team)), (None, None));
        let cut = &team[1..];
        for wrong in ["", ".", "..", ".team.", cut, &format!("x{team}"), &format!("{team}x")] {
            assert_eq!(operator.team_id(wrong), None, "{wrong}");
        }
        assert!(!format!("{operator:?}").contains(&organisation[..8]));
    }
}
