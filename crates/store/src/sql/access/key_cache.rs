//! Keys that were looked up a moment ago, so that a busy caller's key is not looked up for each request.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::{KeyHash, KeyOwner, TeamId};

/// How long a key is known: another process may revoke it meanwhile. What this process writes holds at once.
const FRESH: Duration = Duration::from_millis(50);
/// How many keys are known at once.
const MOST: usize = 10_000;

/// The teams and scopes of keys, and when each was looked up.
#[derive(Default)]
pub(crate) struct KnownKeys(RwLock<Known>);

#[derive(Default)]
struct Known {
    teams: HashMap<[u8; 32], (KeyOwner<TeamId>, Instant)>,
    /// How often keys have changed.
    changes: u64,
}

/// The beginning of a look-up.
pub(crate) struct LookUp {
    at: Instant,
    changes: u64,
}

impl KnownKeys {
    /// The team and the scopes of a key, if it was looked up a moment ago.
    pub(crate) fn team(&self, hash: &KeyHash) -> Option<KeyOwner<TeamId>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (team, looked_up) = known.teams.get(hash.as_bytes())?;
        (looked_up.elapsed() < FRESH).then_some(*team)
    }

    /// Begins to look up a key.
    pub(crate) fn look_up(&self) -> LookUp {
        LookUp {
            at: Instant::now(),
            changes: self.0.read().unwrap_or_else(PoisonError::into_inner).changes,
        }
    }

    /// Notes what was found, unless keys changed meanwhile.
    pub(crate) fn note(&self, hash: &KeyHash, team: KeyOwner<TeamId>, look_up: &LookUp) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.teams.len() >= MOST {
            known.teams.retain(|_, (_, looked_up)| looked_up.elapsed() < FRESH);
        }
        if known.teams.len() < MOST && known.changes == look_up.changes {
            known.teams.insert(*hash.as_bytes(), (team, look_up.at));
        }
    }

    /// Forgets all: keys have changed.
    pub(crate) fn forget(&self) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.teams.clear();
        known.changes += 1;
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{FRESH, KnownKeys, MOST};
    use crate::{KeyHash, KeyOwner, KeyScopes, TeamId};

    const TEAM: KeyOwner<TeamId> = KeyOwner {
        owner: TeamId::new(Uuid::from_u128(1)),
        scopes: KeyScopes::READ,
    };

    #[test]
    fn keys_are_known_for_a_moment() {
        let (known, team) = (KnownKeys::default(), TEAM);
        let [one, other] = ["one", "other"].map(KeyHash::of);
        let look_up = known.look_up();
        known.note(&one, team, &look_up);
        assert!(known.team(&one) == Some(team) || look_up.at.elapsed() >= FRESH);
        assert_eq!(known.team(&other), None);
        let mut long_ago = known.look_up();
        long_ago.at = long_ago.at.checked_sub(FRESH).expect("a time");
        known.note(&one, team, &long_ago);
        assert_eq!(known.team(&one), None);
    }

    #[test]
    fn what_was_looked_up_before_a_change_is_not_known_after_it() {
        let (known, team) = (KnownKeys::default(), TEAM);
        let key = KeyHash::of("key");
        let look_up = known.look_up();
        known.note(&key, team, &look_up);
        known.forget();
        assert_eq!(known.team(&key), None);
        known.note(&key, team, &look_up);
        assert_eq!(known.team(&key), None);
    }

    #[test]
    fn no_more_keys_are_known_than_fit() {
        let (known, team) = (KnownKeys::default(), TEAM);
        for number in 0..MOST + 10 {
            known.note(&KeyHash::of(&number.to_string()), team, &known.look_up());
        }
        assert!(known.0.read().expect("no panic").teams.len() <= MOST);
    }
}
