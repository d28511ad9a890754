//! The price of the checksums of rows.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::Connection;

use crate::environment::Environment;
use crate::import::{AROUND, TABLES};
use crate::inserts::{self, Rows, TOGETHER};
use crate::measure::alternate_cold;
use crate::results::{Comparison, Found, Target};

/// Reads the documents of users, each after a look at its row's checksum.
const CHECKED: &str = "SELECT document FROM users
    WHERE row_intact(checksum, id, team_id, user_id, client_user_id, created_on, document, available)";
const UNCHECKED: &str = "SELECT document FROM users";

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let users = environment.scale.users[1];
    let filled = environment.stored(users)?;
    let rows = f64::from(users) * TABLES.len() as f64;
    let reader = inserts::open(&filled)?;
    wearlab_store::add_checksum_functions(&reader)?;
    Ok(Found {
        results: vec![
            Comparison {
                what: format!("checksums: inserts of {users} users, each with a connection and a device"),
                reference: "the same into tables without checksums".into(),
                unit: "rows/s".into(),
                target: Target::AtLeast(0.8),
                rounds: alternate_cold(
                    environment.scale.rounds.min(5),
                    || Ok(rows / insert(environment, &filled, users, true)?.as_secs_f64()),
                    || Ok(rows / insert(environment, &filled, users, false)?.as_secs_f64()),
                )?,
            },
            Comparison {
                what: format!("checksums: reads of {users} documents, one after the other"),
                reference: "the same without a look at the checksums".into(),
                unit: "rows/s".into(),
                target: Target::AtLeast(0.5),
                rounds: alternate_cold(
                    environment.scale.rounds,
                    || Ok(f64::from(users) / read(&reader, CHECKED)?.as_secs_f64()),
                    || Ok(f64::from(users) / read(&reader, UNCHECKED)?.as_secs_f64()),
                )?,
            },
        ],
        ..Found::default()
    })
}

fn insert(environment: &Environment, filled: &Path, users: u32, checksums: bool) -> Result<Duration> {
    let from = inserts::open(filled)?;
    let mut to = inserts::open_to_write(&environment.scratch("checksums")?.join("rows.db"))?;
    match checksums {
        true => inserts::make_tables(&from, &to)?,
        false => inserts::make_tables_without_checksums(&from, &to)?,
    }
    for table in AROUND {
        inserts::copy(&from, &to, table)?;
    }
    Rows::new(&from, &TABLES)?.insert(&mut to, users, TOGETHER / TABLES.len())
}

fn read(connection: &Connection, sql: &str) -> Result<Duration> {
    let started = Instant::now();
    let mut statement = connection.prepare(sql)?;
    let (mut rows, mut bytes) = (statement.query([])?, 0);
    while let Some(row) = rows.next()? {
        bytes += row.get_ref(0)?.as_str()?.len();
    }
    std::hint::black_box(bytes);
    Ok(started.elapsed())
}
