//! In-memory cache of the keys of recent events.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use super::DedupKey;

/// In-memory cache of the keys of events, for a time and up to a number of them: then the oldest is evicted.
///
/// Insert a key after its event is handled, not before: an event whose handling failed is then redelivered, and is not
/// a repeat. It is lost with the process; to outlive that, store keys in the transaction of the event's changes.
///
/// ```
/// use std::time::{Duration, Instant};
/// use wearlab_models::Event;
/// use wearlab_models::consume::Deduplicator;
///
/// let mut seen = Deduplicator::new(Duration::from_secs(48 * 3600), 100_000);
/// let event = Event::from_bytes(br#"{"event_type": "lab.order.created", "event_id": "evt_1"}"#)?;
/// for delivery in 1..=2 {
///     let (key, now) = (event.dedup_key(), Instant::now());
///     assert_eq!(seen.contains(&key, now), delivery == 2);
///     // Handle the event, then:
///     seen.insert(key, now);
/// }
/// # Ok::<_, wearlab_models::consume::ReadError>(())
/// ```
#[derive(Debug)]
pub struct Deduplicator {
    window: Duration,
    capacity: usize,
    known: HashMap<DedupKey, Known>,
    /// The keys by the order of their insertion.
    order: BTreeMap<u64, DedupKey>,
    next: u64,
}

#[derive(Debug)]
struct Known {
    at: Instant,
    place: u64,
}

impl Deduplicator {
    /// Returns a cache that keeps each key for `window`, and at most `capacity` of them, each some hundred bytes.
    ///
    /// An event that fails is sent again for a little more than a day as a webhook, and for as long as the broker keeps
    /// it otherwise.
    pub fn new(window: Duration, capacity: usize) -> Self {
        Self {
            window,
            capacity,
            known: HashMap::new(),
            order: BTreeMap::new(),
            next: 0,
        }
    }

    /// Returns whether a key was inserted within the window before `now`, and is still cached.
    pub fn contains(&self, key: &DedupKey, now: Instant) -> bool {
        self.known.get(key).is_some_and(|known| self.holds(known, now))
    }

    /// Inserts a key. Returns true if it is new; an existing one keeps its time.
    pub fn insert(&mut self, key: DedupKey, now: Instant) -> bool {
        if self.contains(&key, now) {
            return false;
        }
        self.remove(&key);
        self.forget(now);
        if self.capacity > 0 {
            let place = self.next;
            self.next += 1;
            self.order.insert(place, key.clone());
            self.known.insert(key, Known { at: now, place });
        }
        true
    }

    /// Removes a key, so that its event is accepted again. Returns true if it existed.
    pub fn remove(&mut self, key: &DedupKey) -> bool {
        let known = self.known.remove(key);
        known.is_some_and(|known| self.order.remove(&known.place).is_some())
    }

    /// Returns the number of keys; some may have expired.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn holds(&self, known: &Known, now: Instant) -> bool {
        now.saturating_duration_since(known.at) < self.window
    }

    /// Makes room for another key, and removes the expired ones.
    fn forget(&mut self, now: Instant) {
        while let Some(oldest) = self.order.first_entry() {
            let full = self.known.len() >= self.capacity;
            let known = self.known.get(oldest.get());
            if !full && known.is_some_and(|known| now.saturating_duration_since(known.at) < self.window) {
                return;
            }
            self.known.remove(&oldest.remove());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{DedupKey, Deduplicator};

    const MINUTE: Duration = Duration::from_secs(60);

    fn key(number: usize) -> DedupKey {
        DedupKey::from(format!("evt_{number}").as_str())
    }

    #[test]
    fn a_key_is_known_for_as_long_as_the_window() {
        let (mut seen, start) = (Deduplicator::new(10 * MINUTE, 100), Instant::now());
        assert!(seen.insert(key(1), start));
        for minutes in [0, 5, 9] {
            let now = start + minutes * MINUTE;
            assert!(seen.contains(&key(1), now));
            assert!(!seen.insert(key(1), now), "a repeat does not begin the time anew");
        }
        assert!(!seen.contains(&key(1), start + 10 * MINUTE));
        assert!(seen.insert(key(1), start + 10 * MINUTE));
        assert!(seen.contains(&key(1), start + 19 * MINUTE));
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn there_are_never_more_than_the_capacity() {
        let (mut seen, now) = (Deduplicator::new(MINUTE, 3), Instant::now());
        for number in 0..10 {
            assert!(seen.insert(key(number), now));
            assert!(seen.len() <= 3 && seen.order.len() == seen.len());
        }
        let known: Vec<_> = (0..10).filter(|number| seen.contains(&key(*number), now)).collect();
        assert_eq!(known, [7, 8, 9], "the oldest go first");

        let mut none = Deduplicator::new(MINUTE, 0);
        assert!(none.insert(key(1), now) && none.insert(key(1), now) && none.is_empty());
    }

    #[test]
    fn what_is_past_its_time_makes_room() {
        let (mut seen, start) = (Deduplicator::new(MINUTE, 100), Instant::now());
        for number in 0..50 {
            seen.insert(key(number), start);
        }
        seen.insert(key(50), start + MINUTE);
        assert_eq!(seen.len(), 1);
        assert_eq!(seen.order.len(), 1);
    }

    #[test]
    fn a_key_that_is_removed_is_new_again() {
        let (mut seen, now) = (Deduplicator::new(MINUTE, 2), Instant::now());
        seen.insert(key(1), now);
        assert!(seen.remove(&key(1)) && !seen.remove(&key(1)));
        assert!(seen.insert(key(1), now) && seen.insert(key(2), now) && seen.insert(key(3), now));
        assert!(!seen.contains(&key(1), now) && seen.contains(&key(2), now));
        assert_eq!((seen.len(), seen.order.len()), (2, 2));
    }

    #[test]
    fn a_clock_that_differs_between_threads_does_no_harm() {
        let (mut seen, start) = (Deduplicator::new(MINUTE, 10), Instant::now());
        seen.insert(key(1), start + MINUTE / 2);
        assert!(seen.contains(&key(1), start));
        assert!(seen.insert(key(2), start));
        assert!(!seen.contains(&key(2), start + MINUTE));
        assert!(seen.contains(&key(1), start + MINUTE));
    }
}
