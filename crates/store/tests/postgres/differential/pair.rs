//! Pair of stores, one on each engine, that run the same operations.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;

use tempfile::TempDir;
use uuid::Uuid;
use wearlab_store::{EventFilter, Store, StoreError, TeamId, Transaction};

use crate::arriving::AT;
use crate::random;
use crate::server::{Schema, wait};
use crate::world::{connection, exported, put_team, user};

/// One of the two stores, with the event numbers of its engine.
pub(super) struct Side {
    pub(super) store: Store,
    /// The numbers of all events ever written, by id.
    pub(super) numbers: HashMap<String, i64>,
}

impl Side {
    fn new(store: Store) -> Self {
        Self {
            store,
            numbers: HashMap::new(),
        }
    }

    /// Returns the number of an event, or 0 for none.
    pub(super) fn number(&self, event_id: Option<&String>) -> i64 {
        event_id.map_or(0, |id| self.numbers[id])
    }

    /// Returns the id of the event with a number. None for 0 and for deleted events.
    pub(super) fn id(&self, number: i64) -> Option<String> {
        let mut found = self.numbers.iter().filter(|(_, found)| **found == number);
        found.next().map(|(id, _)| id.clone())
    }
}

pub(super) struct Pair {
    directory: TempDir,
    schema: Schema,
    /// The team of the arrivals.
    pub(super) team: TeamId,
    pub(super) sides: [Side; 2],
    /// The ids of all events ever written, in order.
    pub(super) events: Vec<String>,
    next_id: u128,
}

thread_local! {
    static NEXT: Cell<u128> = const { Cell::new(0) };
}

/// Returns a new event id, the same for both engines.
pub(super) fn fresh_id() -> Uuid {
    NEXT.set(NEXT.get() + 1);
    Uuid::from_u128(NEXT.get())
}

impl Pair {
    pub(super) fn new() -> Self {
        let (directory, schema) = (tempfile::tempdir().expect("a directory"), Schema::new());
        let sides = [Store::open(directory.path()).expect("a store"), schema.store()].map(Side::new);
        let team = sides.each_ref().map(|side| {
            let put = |write: &mut Transaction<'_>| {
                let organisation = write.put_organisation("org_a")?;
                let team = put_team(write, 1, &organisation)?;
                // Users of the arrivals.
                for id in 1..=random::USERS {
                    write.put_user(team, &user(team, id, AT))?;
                    for slug in ["stridewell", "pulsely"] {
                        write.put_connection(team, Uuid::from_u128(id), &connection(slug, AT))?;
                    }
                }
                Ok(team)
            };
            wait(side.store.write(put)).expect("writes")
        });
        Self {
            directory,
            schema,
            team: team[0],
            sides,
            events: Vec::new(),
            next_id: 0,
        }
    }

    pub(super) fn reopen(&mut self) {
        self.sides[0].store = Store::open(self.directory.path()).expect("a store");
        self.sides[1].store = self.schema.store();
    }

    /// Runs the same operation on both stores, and compares the results.
    pub(super) fn both<T: Debug + PartialEq>(&mut self, what: &str, mut work: impl FnMut(&mut Side) -> T) -> T {
        let before = self.next_id;
        let [embedded, server] = self.sides.each_mut().map(|side| {
            NEXT.set(before);
            work(side)
        });
        self.next_id = NEXT.get();
        assert_eq!(embedded, server, "{what}, on SQLite and on PostgreSQL");
        server
    }

    /// Runs the same write on both stores.
    pub(super) fn write<T: Debug + PartialEq>(
        &mut self,
        work: impl Fn(&mut Transaction<'_>, &Side) -> Result<T, StoreError> + Send + Sync,
    ) -> Result<T, String> {
        let result = self.both("a write", |side| {
            let store = side.store.clone();
            let written = wait(store.write(|write| work(write, side)));
            written.map_err(|error| refusal(error).expect("the engine works"))
        });
        self.learn();
        result
    }

    /// Compares the log, and records the numbers of its events.
    fn learn(&mut self) {
        let known: BTreeSet<_> = self.events.iter().cloned().collect();
        let log = self.both("the log", |side| {
            let log = wait(side.store.events(&EventFilter::default(), usize::MAX)).expect("reads");
            assert!(log.is_sorted_by(|one, next| one.number < next.number));
            let mut shown = Vec::new();
            for event in log {
                let before = side.numbers.insert(event.event_id.clone(), event.number);
                assert!(before.is_none_or(|before| before == event.number), "numbers stay");
                let payload = String::from_utf8(event.payload.as_bytes().to_vec()).expect("text");
                shown.push((
                    event.event_id,
                    event.team_id,
                    event.user_id,
                    event.event_type,
                    event.created_on,
                    payload,
                ));
            }
            shown
        });
        let new = log.into_iter().map(|event| event.0).filter(|id| !known.contains(id));
        self.events.extend(new);
    }

    pub(super) fn assert_equal_exports(&mut self) {
        let lines = self.both("an export", |side| wait(exported(&side.store)));
        assert!(lines.len() > 20, "there is something to compare: {}", lines.len());
    }
}

/// Formats errors that all engines share. Returns any other error.
pub(super) fn refusal(error: StoreError) -> Result<String, StoreError> {
    match error {
        StoreError::Missing { what } => Ok(format!("Missing {what}")),
        StoreError::Conflict { what } => Ok(format!("Conflict {what}")),
        StoreError::Document { what } => Ok(format!("Document {what}")),
        StoreError::Refused { field, reason } => Ok(format!("Refused {field}: {reason}")),
        other => Err(other),
    }
}
