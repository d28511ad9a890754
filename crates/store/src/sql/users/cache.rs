//! In-memory cache of user documents.
//!
//! An entry is valid for one version of the store. Each commit of any process changes the version of a file
//! (`wearlab_database::sqlite`), each change of a user that of a server (`wearlab_database::postgres`). Entries are therefore never updated.

use std::hash::Hash;

use quick_cache::sync::DefaultLifecycle;
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use wearlab_models::Encoded;

/// Approximate overhead of an entry and of a document, in bytes.
const OVERHEAD: usize = 128;
/// Number of shards. A value is cached if it fits into one of them.
const SHARDS: usize = 4;

/// Cache of values, each with the version of the store that it was read from. A key contains everything that selects the
/// value, such as the team.
pub(crate) struct Cache<K, V>(quick_cache::sync::Cache<K, (V, u64), Sizes>);

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

/// Weighs entries by their sizes.
#[derive(Clone)]
struct Sizes;

impl<K, V: Value> Weighter<K, (V, u64)> for Sizes {
    fn weight(&self, _: &K, (value, _): &(V, u64)) -> u64 {
        value.size() as u64
    }
}

impl<K: Eq + Hash, V: Value> Cache<K, V> {
    /// Creates a cache with a size limit in bytes, for values of an expected size.
    pub(crate) fn new(bytes: usize, expected: usize) -> Self {
        let options = OptionsBuilder::new()
            .shards(SHARDS)
            .weight_capacity(bytes as u64)
            .estimated_items_capacity(bytes / expected)
            .build()
            .expect("both capacities are set");
        let cache = quick_cache::sync::Cache::with_options(
            options,
            Sizes,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        );
        Self(cache)
    }

    /// Returns a value, if it was read from this version of the store.
    pub(crate) fn get(&self, key: &K, state: u64) -> Option<V> {
        let (value, read_in) = self.0.get(key)?;
        (read_in == state).then_some(value)
    }

    /// Inserts a value with the version of the store from before the read.
    pub(crate) fn insert(&self, key: K, value: &V, state: u64) {
        self.0.insert(key, (value.clone(), state));
    }

    /// Removes all entries.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::{Encoded, User};

    use super::{Cache, OVERHEAD};

    #[test]
    fn a_value_is_cached_by_its_key_for_its_version() {
        let cache = Cache::<_, Encoded<User>>::new(1 << 20, 1024);
        let user = Encoded::from_stored("{}");
        cache.insert((1, 1), &user, 5);
        assert_eq!(cache.get(&(1, 1), 5), Some(user));
        assert_eq!(cache.get(&(1, 1), 6), None);
        assert_eq!(cache.get(&(1, 2), 5), None);
        assert_eq!(cache.get(&(2, 1), 5), None);
        cache.insert((1, 1), &Encoded::from_stored("[]"), 6);
        assert_eq!(cache.get(&(1, 1), 5), None);
        assert_eq!(cache.get(&(1, 1), 6), Some(Encoded::from_stored("[]")));
        cache.clear();
        assert_eq!(cache.get(&(1, 1), 6), None);
    }

    #[test]
    fn no_more_is_cached_than_fits() {
        let document = Encoded::<User>::from_stored("x".repeat(100));
        let size = 100 + OVERHEAD;
        for (limit, range) in [(0, 0..=0), (1000 * size, 500..=1000)] {
            let cache = Cache::new(limit, size);
            for state in 1..=2 {
                (0..5000).for_each(|number| cache.insert(number, &document, state));
            }
            let cached = (0..5000).filter(|number| cache.get(number, 2).is_some()).count();
            assert!(range.contains(&cached), "{cached} of {limit} bytes");
            // A value larger than the limit is not cached.
            cache.insert(1, &Encoded::from_stored("x".repeat(limit)), 3);
            assert_eq!(cache.get(&1, 3), None);
        }
    }
}
