//! Users that were read a moment ago, so that a user who is asked for again and again is not looked up each time.
//!
//! What is known holds as long as nothing at all was written: any commit, of whichever process, moves the state of the
//! store (`crate::sqlite`), and what was read in an earlier one is read again. So there is nothing to keep in step.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;
use wearlab_models::{Encoded, User};

use crate::TeamId;

/// Threads that read different users seldom meet.
const SHARDS: usize = 16;
/// What an entry takes beside its document, about.
const OVERHEAD: usize = 128;

/// The documents of users, and the state of the store that each was read in.
pub(crate) struct KnownUsers {
    shards: [Mutex<Shard>; SHARDS],
    /// How many bytes each shard may have.
    limit: usize,
}

#[derive(Default)]
struct Shard {
    users: HashMap<(TeamId, Uuid), (Encoded<User>, u64)>,
    bytes: usize,
}

impl KnownUsers {
    /// Users of so many bytes at most.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            shards: Default::default(),
            limit: bytes / SHARDS,
        }
    }

    /// A user, if it was read in this state of the store.
    pub(crate) fn user(&self, team: TeamId, user_id: Uuid, state: u64) -> Option<Encoded<User>> {
        let shard = self.shard(user_id);
        let (user, read_in) = shard.users.get(&(team, user_id))?;
        (*read_in == state).then(|| user.clone())
    }

    /// Notes a user that was read, and the state of the store from before it was read.
    pub(crate) fn note(&self, team: TeamId, user_id: Uuid, user: &Encoded<User>, state: u64) {
        let size = user.as_bytes().len() + OVERHEAD;
        let mut shard = self.shard(user_id);
        if let Some((before, _)) = shard.users.remove(&(team, user_id)) {
            shard.bytes -= before.as_bytes().len() + OVERHEAD;
        }
        if shard.bytes + size > self.limit {
            shard.forget_others(state);
        }
        if shard.bytes + size > self.limit {
            // Whoever is asked for often is soon known again.
            *shard = Shard::default();
        }
        if size <= self.limit {
            shard.bytes += size;
            shard.users.insert((team, user_id), (user.clone(), state));
        }
    }

    fn shard(&self, user_id: Uuid) -> MutexGuard<'_, Shard> {
        let shard = &self.shards[usize::from(user_id.as_bytes()[15]) % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    /// Forgets what was read in other states.
    fn forget_others(&mut self, state: u64) {
        self.users.retain(|_, (_, read_in)| *read_in == state);
        let sizes = self.users.values().map(|(user, _)| user.as_bytes().len() + OVERHEAD);
        self.bytes = sizes.sum();
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use wearlab_models::Encoded;

    use super::{KnownUsers, OVERHEAD, SHARDS};
    use crate::TeamId;

    const TEAM: TeamId = TeamId::new(Uuid::from_u128(1));

    /// All of the same shard.
    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number << 8)
    }

    #[test]
    fn a_user_is_known_to_its_team_and_in_its_state() {
        let known = KnownUsers::new(1 << 20);
        let user = Encoded::from_stored("{}");
        known.note(TEAM, id(1), &user, 5);
        assert_eq!(known.user(TEAM, id(1), 5), Some(user));
        assert_eq!(known.user(TEAM, id(1), 6), None);
        assert_eq!(known.user(TEAM, id(2), 5), None);
        assert_eq!(known.user(TeamId::new(Uuid::from_u128(2)), id(1), 5), None);
    }

    #[test]
    fn no_more_is_known_than_fits() {
        let document = "x".repeat(100);
        let size = document.len() + OVERHEAD;
        let known = KnownUsers::new(10 * size * SHARDS);
        let note = |number, state| known.note(TEAM, id(number), &Encoded::from_stored(document.clone()), state);
        let count = |state| {
            (0..100)
                .filter(|number| known.user(TEAM, id(*number), state).is_some())
                .count()
        };
        for number in 0..10 {
            note(number, 1);
            // The same one again takes no more room.
            note(number, 1);
        }
        assert_eq!(count(1), 10);
        // The oldest states go first.
        note(11, 2);
        assert_eq!((count(1), count(2)), (0, 1));
        for number in 0..100 {
            note(number, 2);
        }
        assert!((1..=10).contains(&count(2)), "{}", count(2));
        known.note(TEAM, id(1), &Encoded::from_stored("x".repeat(11 * size)), 2);
        assert!(known.shard(id(1)).bytes <= known.limit);
    }
}
