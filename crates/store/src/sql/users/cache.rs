//! What was read a moment ago, so that what is asked for again and again is not looked up each time.
//!
//! What is known holds as long as the state of the store does: any commit, of whichever process, moves that of a file
//! (`crate::sqlite`), and any that changes users that of a server (`crate::postgres`). What was read in an earlier one is read
//! again, so that there is nothing to keep in step.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wearlab_models::Encoded;

/// What an entry or a document takes beside its bytes, about.
const OVERHEAD: usize = 128;

/// Values by their keys, and the state of the store that each was read in. A key names all that decides what is read: the
/// team among it.
pub(crate) struct Known<K, V> {
    /// Threads that read different things seldom meet.
    shards: Box<[Mutex<Shard<K, V>>]>,
    hasher: RandomState,
    /// How many bytes each shard may have.
    limit: usize,
}

struct Shard<K, V> {
    values: HashMap<K, (V, u64)>,
    bytes: usize,
}

/// What can be known, and costs little to copy.
pub(crate) trait Value: Clone {
    /// How many bytes it takes, about.
    fn size(&self) -> usize;
}

impl<T> Value for Encoded<T> {
    fn size(&self) -> usize {
        self.as_bytes().len() + OVERHEAD
    }
}

impl<K: Eq + Hash, V: Value> Known<K, V> {
    /// Values of so many bytes at most, in so many shards, each of which has room for some values.
    pub(crate) fn new(bytes: usize, shards: usize) -> Self {
        Self {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            limit: bytes / shards,
        }
    }

    /// A value, if it was read in this state of the store.
    pub(crate) fn get(&self, key: &K, state: u64) -> Option<V> {
        let shard = self.shard(key);
        let (value, read_in) = shard.values.get(key)?;
        (*read_in == state).then(|| value.clone())
    }

    /// Notes a value that was read, and the state of the store from before it was read. Of two that were read in the same
    /// state, the first stays: the other may have been read before it.
    pub(crate) fn note(&self, key: K, value: &V, state: u64) {
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
            shard.forget_others(state);
        }
        if shard.bytes + size > self.limit {
            // Whatever is asked for often is soon known again.
            *shard = Shard::default();
        }
        shard.bytes += size;
        shard.values.insert(key, (value.clone(), state));
    }

    /// Forgets all.
    pub(crate) fn forget(&self) {
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
    /// Forgets what was read in other states.
    fn forget_others(&mut self, state: u64) {
        self.values.retain(|_, (_, read_in)| *read_in == state);
        self.bytes = self.values.values().map(|(value, _)| value.size()).sum();
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::{Encoded, User};

    use super::{Known, OVERHEAD};

    #[test]
    fn a_value_is_known_by_its_key_in_its_state() {
        let known = Known::<_, Encoded<User>>::new(1 << 20, 16);
        let user = Encoded::from_stored("{}");
        known.note((1, 1), &user, 5);
        assert_eq!(known.get(&(1, 1), 5), Some(user));
        assert_eq!(known.get(&(1, 1), 6), None);
        assert_eq!(known.get(&(1, 2), 5), None);
        assert_eq!(known.get(&(2, 1), 5), None);
        // What was read in the same state or an earlier one changes nothing.
        for state in [5, 4] {
            known.note((1, 1), &Encoded::from_stored("[]"), state);
        }
        assert_eq!(known.get(&(1, 1), 5), Some(Encoded::from_stored("{}")));
        known.forget();
        assert_eq!(known.get(&(1, 1), 5), None);
    }

    #[test]
    fn no_more_is_known_than_fits() {
        let document = "x".repeat(100);
        let size = document.len() + OVERHEAD;
        let known = Known::<_, Encoded<User>>::new(10 * size * 16, 16);
        let note = |number, state| known.note(number, &Encoded::from_stored(document.clone()), state);
        let count = |state| (0..1000).filter(|number| known.get(number, state).is_some()).count();
        let bytes = || -> usize {
            let shards = known.shards.iter().map(|shard| shard.lock().expect("no panic").bytes);
            shards.sum()
        };
        for number in 0..10 {
            note(number, 1);
            // The same one again takes no more room.
            note(number, 1);
        }
        assert_eq!((count(1), bytes()), (10, 10 * size));
        for number in 0..1000 {
            note(number, 2);
        }
        // What was read in an earlier state goes first.
        assert_eq!(count(1), 0);
        assert!((1..=160).contains(&count(2)), "{}", count(2));
        assert_eq!(bytes(), count(2) * size);
        // What is larger than there is room for is not known.
        known.note(1, &Encoded::from_stored("x".repeat(11 * size)), 2);
        assert_eq!(known.get(&1, 2), None);
    }
}
