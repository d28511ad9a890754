//! Cost of reading undelivered events, with few failed deliveries and with many.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::StatementStatus;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_database::{Columns, Database, DatabaseError, Driver, sqlite};
use wearlab_models::{Environment, Region};

use super::COUNTED;
use crate::core::Core;
use crate::schema::EMBEDDED;
use crate::seal::Seal;
use crate::sql::Reader;
use crate::sql::connection::{Connection, Failure};
use crate::sql::value::{Params, params};
use crate::{
    Backlog, DestinationBacklog, EmbeddedSettings, OrganisationDestinations, OrganisationId, StoreError, TeamRecord,
    UndeliveredFilter, UndeliveredPage,
};

/// Counts the steps of the engine, and its sorts.
struct Counting<'a> {
    connection: &'a rusqlite::Connection,
    steps: Cell<i64>,
    sorted: RefCell<Vec<String>>,
}

impl Driver for Counting<'_> {
    fn execute(&self, sql: &str, params: Params<'_>) -> Result<usize, Failure> {
        Driver::execute(self.connection, sql, params)
    }

    fn query(
        &self,
        sql: &str,
        params: Params<'_>,
        each: &mut dyn FnMut(&dyn Columns) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let statement = || self.connection.prepare_cached(sql).expect("a statement");
        statement().reset_status(StatementStatus::VmStep);
        statement().reset_status(StatementStatus::Sort);
        self.connection.query(sql, params, each)?;
        let statement = statement();
        let steps = statement.get_status(StatementStatus::VmStep);
        self.steps.set(self.steps.get() + i64::from(steps));
        // The destinations of an organisation may be sorted: there are few.
        if statement.get_status(StatementStatus::Sort) > 0 && !sql.contains("JOIN teams") && !sql.contains("FROM teams")
        {
            self.sorted.borrow_mut().push(sql.to_owned());
        }
        Ok(())
    }

    fn last_number(&self, table: &str, column: &str) -> Result<i64, Failure> {
        self.connection.last_number(table, column)
    }

    fn set_numbers(&self, table: &str, last: i64) -> Result<(), Failure> {
        self.connection.set_numbers(table, last)
    }

    fn is_active(&self) -> Result<(), DatabaseError> {
        Ok(())
    }
}

struct World {
    _directory: TempDir,
    core: Core,
    organisation: OrganisationId,
}

/// A destination with failed deliveries of each state, in this order: parked, waiting, held. After
/// them are events that were not sent yet.
fn world(states: [i64; 3], fresh: i64) -> World {
    let directory = tempfile::tempdir().expect("a directory");
    let database = sqlite::Database::open(directory.path(), &EMBEDDED, &EmbeddedSettings::default()).expect("opens");
    let core = Core::new(Database::Embedded(database), &[]).expect("is sound");
    let organisation = core.write(|writer| {
        let organisation = writer.put_organisation("org")?;
        let team = writer.put_team(&TeamRecord {
            team_id: Uuid::from_u128(1),
            org_id: "org".to_owned(),
            environment: Environment::Sandbox,
            region: Region::Eu,
        })?;
        let destination = writer.destination(team, "rabbitmq", None)?;
        // Without the documents, which do not matter here.
        let user = Uuid::from_u128(7);
        let sql =
            "INSERT INTO users (team_id, user_id, client_user_id, created_on, document) VALUES (?1, ?2, '', 1, '')";
        writer
            .connection
            .execute(sql, params![team.as_bytes(), user.as_bytes()])?;
        let event = "INSERT INTO events (number, event_id, team_id, user_id, event_type, created_on, payload)
            VALUES (?1, ?2, ?3, ?4, 'daily.data.steps.created', ?1, '')";
        let delivery = "INSERT INTO deliveries (destination, number, user_id, state, attempts, due, reason)
            VALUES (?1, ?2, ?3, ?4, 1, ?2, '')";
        let mut number = 0;
        for (state, count) in ["parked", "waiting", "held"].iter().zip(states) {
            for _ in 0..count {
                number += 1;
                let params = params![number, number.to_string(), team.as_bytes(), user.as_bytes()];
                writer.connection.execute(event, params)?;
                let params = params![destination.0, number, user.as_bytes(), *state];
                writer.connection.execute(delivery, params)?;
            }
        }
        let cursor = "UPDATE destinations SET cursor = ?1";
        writer.connection.execute(cursor, params![number])?;
        for number in number + 1..=number + fresh {
            let params = params![number, number.to_string(), team.as_bytes(), user.as_bytes()];
            writer.connection.execute(event, params)?;
        }
        Ok(organisation)
    });
    World {
        _directory: directory,
        organisation: organisation.expect("writes"),
        core,
    }
}

impl World {
    /// Returns the result of a read, and its steps. None of its statements sorts.
    fn steps<T>(&self, work: impl Fn(&Reader<'_>) -> Result<T, StoreError>) -> (T, i64) {
        let embedded = match self.core.database() {
            Database::Embedded(database) => database,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => panic!("the world is in a file"),
        };
        let read = embedded.with_reader(|connection| {
            let counting = Counting {
                connection,
                steps: Cell::new(0),
                sorted: RefCell::default(),
            };
            let found = work(&Reader::new(
                &Connection::new(&counting),
                &Seal::new(&[]),
                Path::new(""),
            ))?;
            assert!(counting.sorted.borrow().is_empty(), "{:?}", counting.sorted);
            Ok::<_, StoreError>((found, counting.steps.get()))
        });
        read.expect("reads")
    }

    fn backlog(&self) -> (Backlog, i64) {
        let read = |reader: &Reader<'_>| reader.destinations_of(&self.organisation, Some(Uuid::from_u128(1)));
        let (found, steps) = self.steps(read);
        let OrganisationDestinations { destinations, .. } = found.expect("the team");
        let [DestinationBacklog { backlog, .. }] = &destinations[..] else {
            panic!("one destination")
        };
        (*backlog, steps)
    }

    fn page(&self, state: Option<&str>, after: i64) -> (UndeliveredPage, i64) {
        let filter = UndeliveredFilter {
            state,
            after: Some((1, after)),
            ..UndeliveredFilter::default()
        };
        let (found, steps) = self.steps(|reader| reader.undelivered_of(&self.organisation, &filter, 100));
        (found.expect("the team"), steps)
    }
}

#[test]
fn counts_and_the_oldest_event_cost_the_same_above_ten_thousand() {
    for (few, many) in [
        ([10_000, 10_000, 0], [20_000, 20_000, 0]),
        ([10_000, 1, 10_000], [20_000, 1, 20_000]),
        // No event waits: parked ones are not scanned for one.
        ([10_000, 0, 0], [20_000, 0, 0]),
    ] {
        let [few, many] = [few, many].map(|states| world(states, 0).backlog());
        for (counted, _) in [&few, &many] {
            assert!(counted.parked == COUNTED && [0, COUNTED].contains(&counted.waiting) || counted.waiting == COUNTED);
        }
        assert!(many.1 < few.1 + 1_000, "{} and {} steps", few.1, many.1);
    }
    let fresh = [10_000, 20_000].map(|fresh| world([0; 3], fresh).backlog());
    let [(few, few_steps), (many, steps)] = fresh;
    assert_eq!((few.waiting, many.waiting), (COUNTED, COUNTED));
    assert!(steps < few_steps + 1_000, "{few_steps} and {steps} steps");
}

#[test]
fn a_page_costs_the_same_wherever_it_is() {
    let world = world([20_000, 50, 10], 0);
    let (first, steps) = world.page(None, 0);
    assert_eq!(first.events.len(), 100);
    for after in [10_000, 19_000] {
        let (page, later) = world.page(None, after);
        assert_eq!((page.events.len(), page.next), (100, Some((1, after + 100))));
        assert!(later < steps + 1_000, "{steps} and {later} steps");
    }
    // For a state, it skips no more than ten thousand others.
    let (page, passing) = world.page(Some("waiting"), 0);
    assert_eq!((page.events.len(), page.next), (0, Some((1, 10_000))));
    let (page, most) = world.page(Some("waiting"), 15_000);
    assert_eq!((page.events.len(), page.next), (50, None));
    assert!(
        most < 60 * 10_000 && passing < 60 * 10_000,
        "{passing} and {most} steps"
    );
}

/// Each statement about deliveries has an index of its own for its order.
#[test]
fn the_statements_of_dispatchers_keep_their_indexes() {
    let world = world([100, 100, 100], 0);
    let of = |reader: &Reader<'_>| reader.destinations_of(&world.organisation, None);
    let id = world.steps(of).0.expect("there").destinations[0].status.id;
    let ((), few) = world.steps(|reader| {
        assert!(reader.next_due(id)?.is_some());
        assert_eq!(reader.retried(id)?, 100);
        Ok(())
    });
    assert!(few < 1_000, "{few} steps");
}
