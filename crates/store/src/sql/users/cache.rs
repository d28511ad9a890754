//! In-memory cache of user documents.
//!
//! An entry is valid for one version of the store. Each commit of any process changes the version of a file
//! (`wearlab_database::sqlite`), each change of a user that of a server (`wearlab_database::postgres`). Entries are therefore never updated.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wearlab_models::Encoded;

/// Approximate overhead of an entry and of a document, in bytes.
const OVERHEAD: usize = 128;

/// Cache of values, each with the version of the store that it was read from. A key contains everything that selects the
/// value, such as the team.
pub(crate) struct Cache<K, V> {
    /// Shards, so that threads rarely wait for each other.
    shards: Box<[Mutex<Shard<K, V>>]>,
    hasher: RandomState,
    /// Size limit of a shard, in bytes.
    limit: usize,
}

struct Shard<K, V> {
    values: HashMap<K, (V, u64)>,
    bytes: usize,
}

/// Cached value, which is cheap to clone.
pub(crate) trait Value: Clone {
    /// Returns the approximate size in bytes.
    fn size(&self) -> usize;
}

impl<T> Value for Encoded<T> {
    fn size(&self) -> usize {
        self.as_bytes().len() + OVERHEAD
    }
}

impl<K: Eq + Hash, V: Value> Cache<K, V> {
    /// Creates a cache with a size limit in bytes, and a number of shards.
    pub(crate) fn new(bytes: usize, shards: usize) -> Self {
        Self {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            limit: bytes / shards,
        }
    }

    /// Returns a value, if it was read from this version of the store.
    pub(crate) fn get(&self, key: &K, state: u64) -> Option<V> {
        let shard = self.shard(key);
        let (value, read_in) = shard.values.get(key)?;
        (*read_in == state).then(|| value.clone())
    }

    /// Inserts a value with the version of the store from before the read. The first value of a version stays: the second
    /// may be older.
    pub(crate) fn insert(&self, key: K, value: &V, state: u64) {
        let size = value.size();
        if size > self.limit {
            return;
        }
        let mut shard = self.shard(&key);
        match shard.values.get(&key) {
            Some((_, read_in)) if *read_in >= state => return,
            Some((before, _)) => {
                let size = before.size();
                shard.bytes -= size;
                shard.values.remove(&key);
            }
            None => {}
        }
        if shard.bytes + size > self.limit {
            shard.remove_others(state);
        }
        if shard.bytes + size > self.limit {
            // Values that are read often are soon cached again.
            *shard = Shard::default();
        }
        shard.bytes += size;
        shard.values.insert(key, (value.clone(), state));
    }

    /// Removes all entries.
    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = Shard::default();
        }
    }

    fn shard(&self, key: &K) -> MutexGuard<'_, Shard<K, V>> {
        let number = self.hasher.hash_one(key) % self.shards.len() as u64;
        let shard = &self.shards[number as usize];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> Default for Shard<K, V> {
    fn default() -> Self {
        Self {
            values: HashMap::new(),
            bytes: 0,
        }
    }
}

impl<K: Eq + Hash, V: Value> Shard<K, V> {
    /// Removes the entries of other versions.
    fn remove_others(&mut self, state: u64) {
        self.values.retain(|_, (_, read_in)| *read_in == state);
        self.bytes = self.values.values().map(|(value, _)| value.size()).sum();
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::{Encoded, User};

    use super::{Cache, OVERHEAD};

    #[test]
    fn a_value_is_cached_by_its_key_for_its_version() {
        let cache = Cache::<_, Encoded<User>>::new(1 << 20, 16);
        let user = Encoded::from_stored("{}");
        cache.insert((1, 1), &user, 5);
        assert_eq!(cache.get(&(1, 1), 5), Some(user));
        assert_eq!(cache.get(&(1, 1), 6), None);
        assert_eq!(cache.get(&(1, 2), 5), None);
        assert_eq!(cache.get(&(2, 1), 5), None);
        // A value of the same state or an earlier one changes nothing.
        for state in [5, 4] {
            cache.insert((1, 1), &Encoded::from_stored("[]"), state);
        }
        assert_eq!(cache.get(&(1, 1), 5), Some(Encoded::from_stored("{}")));
        cache.clear();
        assert_eq!(cache.get(&(1, 1), 5), None);
    }

    #[test]
    fn no_more_is_cached_than_fits() {
        let document = "x".repeat(100);
        let size = document.len() + OVERHEAD;
        let cache = Cache::<_, Encoded<User>>::new(10 * size * 16, 16);
        let note = |number, state| cache.insert(number, &Encoded::from_stored(document.clone()), state);
        let count = |state| (0..1000).filter(|number| cache.get(number, state).is_some()).count();
        let bytes = || -> usize {
            let shards = cache.shards.iter().map(|shard| shard.lock().expect("no panic").bytes);
            shards.sum()
        };
        for number in 0..10 {
            note(number, 1);
            // A repeated insertion takes no more room.
            note(number, 1);
        }
        assert_eq!((count(1), bytes()), (10, 10 * size));
        for number in 0..1000 {
            note(number, 2);
        }
        // Values of an earlier state are evicted first.
        assert_eq!(count(1), 0);
        assert!((1..=160).contains(&count(2)), "{}", count(2));
        assert_eq!(bytes(), count(2) * size);
        // A value larger than the limit is not cached.
        cache.insert(1, &Encoded::from_stored("x".repeat(11 * size)), 2);
        assert_eq!(cache.get(&1, 2), None);
    }
}
