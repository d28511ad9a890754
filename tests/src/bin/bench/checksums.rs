//! Cost of page checksums.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::{Connection, OpenFlags};

use crate::environment::Environment;
use crate::import::{AROUND, TABLES};
use crate::inserts::{self, Rows, TOGETHER};
use crate::measure::alternate_cold;
use crate::results::{Comparison, Found, Target};

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let users = environment.scale.users[1];
    let filled = environment.stored(users)?;
    let rows = f64::from(users) * TABLES.len() as f64;
    let file = filled.join("data/wearlab.db");
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY;
    Ok(Found {
        results: vec![
            Comparison {
                what: format!("checksums: inserts of {users} users, each with a connection and a device"),
                reference: "the same into a file without checksums".into(),
                unit: "rows/s".into(),
                target: Target::AtLeast(0.8),
                rounds: alternate_cold(
                    environment.scale.rounds.min(5),
                    || Ok(rows / insert(environment, &filled, users, true)?.as_secs_f64()),
                    || Ok(rows / insert(environment, &filled, users, false)?.as_secs_f64()),
                )?,
            },
            Comparison {
                what: format!(
                    "checksums: reads of {users} documents, one after the other, each page once from the file"
                ),
                reference: "the same without comparing the checksums".into(),
                unit: "rows/s".into(),
                target: Target::AtLeast(0.5),
                rounds: alternate_cold(
                    environment.scale.rounds,
                    || Ok(f64::from(users) / read(&wearlab_checksum_vfs::open(&file, read_only)?)?.as_secs_f64()),
                    || Ok(f64::from(users) / read(&Connection::open_with_flags(&file, read_only)?)?.as_secs_f64()),
                )?,
            },
        ],
        ..Found::default()
    })
}

fn insert(environment: &Environment, filled: &Path, users: u32, checksums: bool) -> Result<Duration> {
    let from = inserts::open(filled)?;
    let file = environment.scratch("checksums")?.join("rows.db");
    let mut to = match checksums {
        true => inserts::open_to_write(&file)?,
        false => inserts::open_without_checksums(&file)?,
    };
    inserts::make_tables(&from, &to)?;
    for table in AROUND {
        inserts::copy(&from, &to, table)?;
    }
    Rows::new(&from, &TABLES)?.insert(&mut to, users, TOGETHER / TABLES.len())
}

fn read(connection: &Connection) -> Result<Duration> {
    let started = Instant::now();
    let mut statement = connection.prepare("SELECT document FROM users")?;
    let (mut rows, mut bytes) = (statement.query([])?, 0);
    while let Some(row) = rows.next()? {
        bytes += row.get_ref(0)?.as_str()?.len();
    }
    std::hint::black_box(bytes);
    Ok(started.elapsed())
}
