//! Cost of reading a page of users.

use rusqlite::StatementStatus;
use uuid::Uuid;
use wearlab_database::{Database, sqlite};

use super::World;
use crate::StoreError;
use crate::sql::connection::Connection;
use crate::sql::query_plan;
use crate::sql::users::order::{BLOCKS_FROM, BlockSizes, GROUPS_FROM, TOTAL};
use crate::sql::users::user;
use crate::sql::value::params;

/// The statements that read a page of users.
const STATEMENTS: [&str; 4] = [TOTAL, GROUPS_FROM, BLOCKS_FROM, user::PAGE];

fn embedded(world: &World) -> &sqlite::Database {
    match world.core.database() {
        Database::Embedded(database) => database,
        #[cfg(feature = "postgres")]
        Database::Postgres(_) => panic!("the world is in a file"),
    }
}

#[test]
fn no_statement_of_a_list_scans_or_sorts() {
    let world = World::new(BlockSizes::USUAL);
    for sql in STATEMENTS {
        let (_, plan) = query_plan(embedded(&world), sql);
        assert!(!plan.is_empty());
        for step in plan {
            assert!(step.starts_with("SEARCH "), "{sql}: {step}");
            assert!(step.contains("(team_id=?"), "{sql}: {step}");
        }
    }
}

#[test]
fn a_page_far_down_takes_the_steps_of_the_first() {
    const USERS: i64 = 100_000;
    let world = World::new(BlockSizes::USUAL);
    let team = world.teams[1];
    let written = world.core.write(|writer| {
        // Without the documents, which do not matter here: the users are counted in order of insertion.
        let sql =
            "INSERT INTO users (team_id, user_id, client_user_id, created_on, document) VALUES (?1, ?2, ?3, ?4, '')";
        for step in 0..USERS {
            let id = Uuid::from_u128(u128::try_from(step).expect("fits"));
            let client = step.to_string();
            writer
                .connection
                .execute(sql, params![team.as_bytes(), id.as_bytes(), client, step])?;
            writer.enter(team, (step, *id.as_bytes()))?;
        }
        Ok(())
    });
    written.expect("writes");
    let read = embedded(&world).with_reader(|connection| {
        let steps_at = |offset| {
            for sql in STATEMENTS {
                connection.prepare_cached(sql)?.reset_status(StatementStatus::VmStep);
            }
            let page = user::page(&Connection::new(connection), team, offset, 100)?.expect("fits the counts");
            assert_eq!(page.total, USERS);
            let mut steps = 0;
            for sql in STATEMENTS {
                let statement = connection.prepare_cached(sql)?;
                steps += statement.get_status(StatementStatus::VmStep);
                assert_eq!(statement.get_status(StatementStatus::Sort), 0, "{sql}");
                assert_eq!(statement.get_status(StatementStatus::FullscanStep), 0, "{sql}");
            }
            Ok::<_, StoreError>((page.users.len(), steps))
        };
        let (_, first) = steps_at(0)?;
        assert!(first > 100, "the steps are counted");
        for (offset, users) in [(100, 100), (USERS / 2 + 255, 100), (USERS - 100, 100), (USERS, 0)] {
            let (found, steps) = steps_at(offset)?;
            assert_eq!(found, users);
            assert!(
                steps < 5 * first,
                "{steps} steps at {offset}, and {first} at the beginning"
            );
        }
        Ok::<_, StoreError>(())
    });
    read.expect("reads");
}
