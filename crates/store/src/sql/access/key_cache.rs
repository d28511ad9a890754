//! In-memory cache of API keys, which saves a lookup for each request of a busy caller.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::{KeyHash, KeyOwner, TeamId};

/// Maximum age of an entry: another process may revoke the key meanwhile. Writes of this process clear the cache.
const MAX_AGE: Duration = Duration::from_millis(50);
/// Maximum number of entries.
const MAX_KEYS: usize = 10_000;

/// Cache of the teams and scopes of keys.
#[derive(Default)]
pub(crate) struct ApiKeyCache(RwLock<Entries>);

#[derive(Default)]
struct Entries {
    teams: HashMap<[u8; 32], (KeyOwner<TeamId>, Instant)>,
    /// Number of changes of keys.
    changes: u64,
}

/// Start of a lookup.
pub(crate) struct Lookup {
    at: Instant,
    changes: u64,
}

impl ApiKeyCache {
    /// Returns the team and the scopes of a key, if they are cached.
    pub(crate) fn team(&self, hash: &KeyHash) -> Option<KeyOwner<TeamId>> {
        let cache = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (team, looked_up) = cache.teams.get(hash.as_bytes())?;
        (looked_up.elapsed() < MAX_AGE).then_some(*team)
    }

    /// Starts a lookup.
    pub(crate) fn lookup(&self) -> Lookup {
        Lookup {
            at: Instant::now(),
            changes: self.0.read().unwrap_or_else(PoisonError::into_inner).changes,
        }
    }

    /// Inserts the result of a lookup, unless keys changed meanwhile.
    pub(crate) fn insert(&self, hash: &KeyHash, team: KeyOwner<TeamId>, lookup: &Lookup) {
        let mut cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if cache.teams.len() >= MAX_KEYS {
            cache.teams.retain(|_, (_, looked_up)| looked_up.elapsed() < MAX_AGE);
        }
        if cache.teams.len() < MAX_KEYS && cache.changes == lookup.changes {
            cache.teams.insert(*hash.as_bytes(), (team, lookup.at));
        }
    }

    /// Removes all entries, after a change of keys.
    pub(crate) fn clear(&self) {
        let mut cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
        cache.teams.clear();
        cache.changes += 1;
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{ApiKeyCache, MAX_AGE, MAX_KEYS};
    use crate::{KeyHash, KeyOwner, KeyScopes, TeamId};

    const TEAM: KeyOwner<TeamId> = KeyOwner {
        owner: TeamId::new(Uuid::from_u128(1)),
        scopes: KeyScopes::READ,
    };

    #[test]
    fn keys_are_cached_up_to_an_age() {
        let (cache, team) = (ApiKeyCache::default(), TEAM);
        let [one, other] = ["one", "other"].map(KeyHash::of);
        let lookup = cache.lookup();
        cache.insert(&one, team, &lookup);
        assert!(cache.team(&one) == Some(team) || lookup.at.elapsed() >= MAX_AGE);
        assert_eq!(cache.team(&other), None);
        let mut long_ago = cache.lookup();
        long_ago.at = long_ago.at.checked_sub(MAX_AGE).expect("a time");
        cache.insert(&one, team, &long_ago);
        assert_eq!(cache.team(&one), None);
    }

    #[test]
    fn a_lookup_from_before_a_change_is_not_cached() {
        let (cache, team) = (ApiKeyCache::default(), TEAM);
        let key = KeyHash::of("key");
        let lookup = cache.lookup();
        cache.insert(&key, team, &lookup);
        cache.clear();
        assert_eq!(cache.team(&key), None);
        cache.insert(&key, team, &lookup);
        assert_eq!(cache.team(&key), None);
    }

    #[test]
    fn no_more_keys_are_cached_than_fit() {
        let (cache, team) = (ApiKeyCache::default(), TEAM);
        for number in 0..MAX_KEYS + 10 {
            cache.insert(&KeyHash::of(&number.to_string()), team, &cache.lookup());
        }
        assert!(cache.0.read().expect("no panic").teams.len() <= MAX_KEYS);
    }
}
