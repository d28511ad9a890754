//! Schema of a store: the migrations of each engine, and the tables that follow from them.

pub(crate) mod tables;
#[cfg(feature = "postgres")]
mod translation;

#[cfg(feature = "postgres")]
use wearlab_database::PostgresSchema;
use wearlab_database::{Partitioned, SqliteSchema};

use crate::earlier::EARLIER;

// Lists of migrations, from the files in `src/migrations`.
include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// Schema of the embedded engine.
pub(crate) static EMBEDDED: SqliteSchema = SqliteSchema {
    file: "wearlab.db",
    // "Wear" in ASCII.
    application: 0x5765_6172,
    migrations: SQLITE,
    earlier: EARLIER,
};

/// Schema of PostgreSQL.
///
/// One transaction of all processes writes at a time, as in a file, and readers are not blocked. Rows that a write reads
/// do not change until it commits, and events commit in the order of their numbers: a cursor behind an event has missed
/// none. The lock of a process that is paused or lost within a write ends within seconds.
///
/// The version is the last transaction that changed users. If it is the same twice, no commit between the two queries
/// changed any user. The start time of the server distinguishes another server, such as after a failover. A standby may
/// be behind, so it has no version.
#[cfg(feature = "postgres")]
pub(crate) static SERVER: PostgresSchema = PostgresSchema {
    migrations: || POSTGRES.iter().map(|script| translation::to_postgres(script)).collect(),
    // "Wear" in ASCII.
    lock: 0x5765_6172,
    lock_writes: "SET LOCAL idle_in_transaction_session_timeout = '5s'; LOCK TABLE revisions IN SHARE ROW EXCLUSIVE MODE",
    version: "SELECT concat(extract(epoch FROM pg_postmaster_start_time()), ' ', changed_by) FROM users_changed
        WHERE NOT pg_is_in_recovery() ORDER BY changed_by DESC LIMIT 1",
};

/// Partitions of the event log. A day is needed while a destination has not received all of its events; it is then
/// pruned by rows, which are reported, and dropped when it is empty.
pub(crate) const EVENTS: Partitioned = Partitioned {
    table: "events",
    dependents: &["deliveries", "attempts"],
    is_needed: "SELECT EXISTS (SELECT 1 FROM deliveries JOIN {partition} USING (number)
            WHERE number BETWEEN (SELECT min(number) FROM {partition}) AND (SELECT max(number) FROM {partition}))
        OR EXISTS (SELECT 1 FROM destinations JOIN {partition} AS part
            ON part.team_id = destinations.team_id AND part.number > destinations.cursor)",
};

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::SQLITE;

    #[test]
    fn summaries_of_earlier_versions_are_found_by_their_provider_ids() {
        for (version, resource) in [(17, "activity"), (17, "sleep"), (22, "sleep_cycle"), (22, "workouts")] {
            let connection = Connection::open_in_memory().expect("a database");
            connection.pragma_update(None, "foreign_keys", false).expect("sets");
            let (before, after) = SQLITE.split_at(version);
            let run = |script: &str| connection.execute_batch(script).expect("runs");
            before.iter().for_each(|script| run(script));
            let long = format!(r#"{{"provider_id": "{}"}}"#, "a".repeat(1001));
            for (number, document) in [r#"{"provider_id": "a"}"#, r#"{"provider_id": 7}"#, "{}", &long]
                .iter()
                .enumerate()
            {
                let sql = "INSERT INTO summaries (user_row, summary_id, resource, provider, source, day, document)
                    VALUES (1, ?1, ?3, 'stridewell', '{}', '2026-05-01', ?2)";
                let id = [u8::try_from(number).expect("a byte"); 16];
                connection
                    .execute(sql, rusqlite::params![id, document, resource])
                    .expect("writes");
            }
            after.iter().for_each(|script| run(script));
            let mut found = connection
                .prepare("SELECT provider_id, derived_id FROM summaries ORDER BY id")
                .expect("a query");
            let found = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
            let found: Vec<(Option<String>, Option<i64>)> = found.collect::<Result<_, _>>().expect("rows");
            let expected = [(Some("a".to_owned()), None), (None, None), (None, None), (None, None)];
            assert_eq!(found, expected, "{resource} of version {version}");
        }
    }

    #[test]
    fn days_of_version_20_have_data_where_summaries_are() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.pragma_update(None, "foreign_keys", false).expect("sets");
        let (before, after) = SQLITE.split_at(20);
        let run = |script: &str| connection.execute_batch(script).expect("runs");
        before.iter().for_each(|script| run(script));
        for (day, resource) in [
            ("2026-05-01", "body"),
            ("2026-05-03", "body"),
            ("2026-05-05", "body"),
            ("2026-05-06", "body"),
            ("2026-05-06", "steps"),
        ] {
            let sql = "INSERT INTO days (user_row, provider, resource, day, source, hash)
                VALUES (1, 'stridewell', ?1, ?2, '{}', x'')";
            connection.execute(sql, [resource, day]).expect("writes");
        }
        for (number, day) in ["2026-05-03", "2026-05-06"].iter().enumerate() {
            let sql = "INSERT INTO summaries (user_row, summary_id, resource, provider, source, day, document)
                VALUES (1, ?1, 'body', 'stridewell', '{}', ?2, '{}')";
            let id = [u8::try_from(number).expect("a byte"); 16];
            connection.execute(sql, rusqlite::params![id, day]).expect("writes");
        }
        after.iter().for_each(|script| run(script));
        let mut found = connection
            .prepare("SELECT resource || ' ' || day FROM days WHERE has_data = 0 ORDER BY 1")
            .expect("a query");
        let found = found.query_map([], |row| row.get(0)).expect("rows");
        let found: Vec<String> = found.collect::<Result<_, _>>().expect("rows");
        assert_eq!(found, ["body 2026-05-05"]);
    }

    #[test]
    fn connections_of_version_21_with_tokens_have_a_task() {
        let connection = Connection::open_in_memory().expect("a database");
        connection.pragma_update(None, "foreign_keys", false).expect("sets");
        let (before, after) = SQLITE.split_at(21);
        let run = |script: &str| connection.execute_batch(script).expect("runs");
        before.iter().for_each(|script| run(script));
        for (user, team) in [(1_i64, [1_u8]), (2, [1]), (3, [2])] {
            let sql = "INSERT INTO users (id, team_id, user_id, client_user_id, created_on, document)
                VALUES (?1, ?2, zeroblob(?1), CAST(?1 AS TEXT), 0, '')";
            connection.execute(sql, rusqlite::params![user, team]).expect("writes");
            for (number, slug) in [(1, "stridewell"), (2, "pulsely"), (3, "without_tokens")] {
                let id = user * 10 + number;
                let sql =
                    "INSERT INTO connections (id, user_row, slug, created_on, document) VALUES (?1, ?2, ?3, ?1, '')";
                connection
                    .execute(sql, rusqlite::params![id, user, slug])
                    .expect("writes");
                if number < 3 {
                    let sql = "INSERT INTO oauth_tokens (connection, grant_id, version, failures, uncertain, document)
                        VALUES (?1, zeroblob(?1), 0, 0, 0, '')";
                    connection.execute(sql, [id]).expect("writes");
                }
            }
        }
        after.iter().for_each(|script| run(script));
        let rows = |sql: &str| {
            let mut found = connection.prepare(sql).expect("a query");
            let found = found.query_map([], |row| row.get(0)).expect("rows");
            found.collect::<Result<Vec<String>, _>>().expect("rows")
        };
        let sql = "SELECT concat_ws(' ', connection, slug, priority, hex(team_id), name, pull_tasks.due, pull_queues.due, state)
            FROM pull_tasks JOIN pull_queues ON pull_queues.id = queue ORDER BY connection";
        let expected = [
            "11 stridewell 0 01 link 11 11 {}",
            "12 pulsely 0 01 link 12 12 {}",
            "21 stridewell 0 01 link 21 11 {}",
            "22 pulsely 0 01 link 22 12 {}",
            "31 stridewell 0 02 link 31 31 {}",
            "32 pulsely 0 02 link 32 32 {}",
        ];
        assert_eq!(rows(sql), expected);
    }
}
