//! Import and ingest, compared with `COPY` of the same rows.

use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use axum::body::Bytes;
use futures_util::{SinkExt, TryStreamExt};
use tokio_postgres::Client;
use wearlab_tests::process::Wearlab;

use super::databases::{Database, Databases, finish};
use crate::arrivals;
use crate::environment::Environment;
use crate::inserts::TOGETHER;
use crate::measure::alternate_cold;
use crate::population;
use crate::results::{Comparison, Target};

/// Number of arrivals, each of another user.
const ARRIVALS: u32 = 50_000;
/// Header of a binary `COPY`: a signature, flags, no extension.
const HEADER: [u8; 19] = *b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// Trailer of a binary `COPY`.
const TRAILER: [u8; 2] = [0xff; 2];
/// Tables of users, with their order of writing.
const OF_USERS: [(&str, &str); 3] = [("users", ""), ("connections", ""), ("devices", "")];
/// Tables of arrivals. Those without a number of their own are in the order of the events.
const OF_ARRIVALS: [(&str, &str); 5] = [
    (
        "days",
        "JOIN users ON users.id = user_row JOIN events USING (team_id, user_id) ORDER BY number",
    ),
    (
        "resources",
        "JOIN users ON users.id = user_row JOIN events USING (team_id, user_id) ORDER BY number",
    ),
    ("samples", "ORDER BY samples.id"),
    ("events", "ORDER BY number"),
    ("arrivals", "ORDER BY arrivals.id"),
];

/// Rows of a table, each in the format of a binary `COPY`.
struct Table {
    name: String,
    copy: String,
    rows: Vec<Bytes>,
}

pub(super) fn import(
    environment: &Environment,
    databases: &Databases,
    filled: &Database,
    users: u32,
) -> Result<Comparison> {
    let lines = environment.scratch("postgres-lines")?.join("lines.ndjson");
    write(&lines, population::lines(users))?;
    let lines = lines.display().to_string();
    let tables = read(filled, &OF_USERS)?;
    let rows: usize = tables.iter().map(|table| table.rows.len()).sum();
    ensure!(rows == users as usize * OF_USERS.len(), "{rows} rows of {users} users");
    let rate = |took: Duration| rows as f64 / took.as_secs_f64();
    Ok(Comparison {
        what: format!("import of {users} users, each with a connection and a device, PostgreSQL"),
        reference: "bare tokio-postgres, COPY of the same rows, as many together, into the same tables".into(),
        unit: "rows/s".into(),
        target: Target::None,
        rounds: alternate_cold(
            environment.scale.rounds.min(3),
            || {
                let wearlab = databases.wearlab(environment, "imported", &databases.create("imported")?)?;
                Ok(rate(timed(&wearlab, &["import", &lines])?))
            },
            || {
                let database = databases.create("copied")?;
                // Creates the tables, and the rows that users refer to.
                databases.fill(environment, &database, 0)?;
                Ok(rate(write_rows(&database, &tables)?))
            },
        )?,
    })
}

pub(super) fn ingest(
    environment: &Environment,
    databases: &Databases,
    filled: &Database,
    users: u32,
) -> Result<Comparison> {
    let count = environment.scale.of(ARRIVALS).min(users);
    let lines = environment.scratch("postgres-arrivals")?.join("arrivals.ndjson");
    write(&lines, arrivals::lines(users, count))?;
    let lines = lines.display().to_string();
    let ingested = databases.copy(filled, "ingested")?;
    timed(
        &databases.wearlab(environment, "ingested", &ingested)?,
        &["ingest", &lines],
    )?;
    let mut tables = read(&ingested, &OF_ARRIVALS)?;
    let events = tables
        .iter()
        .find(|table| table.name == "events")
        .map_or(0, |table| table.rows.len());
    ensure!(events == count as usize, "{events} events of {count} arrivals");
    tables.retain(|table| !table.rows.is_empty());
    // The partition of the events' day exists.
    let emptied = databases.copy(&ingested, "emptied")?;
    let names: Vec<_> = OF_ARRIVALS.iter().map(|(table, _)| *table).collect();
    emptied.run(async |client| {
        Ok(client
            .batch_execute(&format!("TRUNCATE {} CASCADE", names.join(", ")))
            .await?)
    })?;
    let rate = |took: Duration| f64::from(count) / took.as_secs_f64();
    Ok(Comparison {
        what: format!("ingest of {count} arrivals to durable events of 1 KiB, PostgreSQL"),
        reference: "bare tokio-postgres, COPY of the same rows, as many together, into the same tables".into(),
        unit: "events/s".into(),
        target: Target::None,
        rounds: alternate_cold(
            environment.scale.rounds.min(3),
            || {
                let wearlab = databases.wearlab(environment, "ingesting", &databases.copy(filled, "ingesting")?)?;
                Ok(rate(timed(&wearlab, &["ingest", &lines])?))
            },
            || Ok(rate(write_rows(&databases.copy(&emptied, "copied")?, &tables)?)),
        )?,
    })
}

fn write(file: &std::path::Path, mut lines: impl Iterator<Item = String>) -> Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 20, std::fs::File::create(file)?);
    lines.try_for_each(|line| writeln!(writer, "{line}"))?;
    Ok(writer.flush()?)
}

fn timed(wearlab: &Wearlab, arguments: &[&str]) -> Result<Duration> {
    let started = Instant::now();
    finish(wearlab, arguments)?;
    Ok(started.elapsed())
}

fn read(database: &Database, tables: &[(&str, &str)]) -> Result<Vec<Table>> {
    database.run(async |client| {
        let mut found = Vec::new();
        for (table, order) in tables {
            found.push(read_table(client, table, order).await?);
        }
        Ok(found)
    })
}

async fn read_table(client: &Client, table: &str, order: &str) -> Result<Table> {
    let sql = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema()
        AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position";
    let columns = client.query(sql, &[&table]).await?;
    let columns = columns
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<Vec<String>, _>>()?;
    let qualified: Vec<_> = columns.iter().map(|column| format!("{table}.{column}")).collect();
    let order = if order.is_empty() {
        format!("ORDER BY {table}.id")
    } else {
        order.to_owned()
    };
    let sql = format!(
        "COPY (SELECT {} FROM {table} {order}) TO STDOUT (FORMAT binary)",
        qualified.join(", ")
    );
    let messages: Vec<Bytes> = client.copy_out(&sql).await?.try_collect().await?;
    // The server sends each row in a message of its own, the first one after the header.
    let mut rows = Vec::with_capacity(messages.len());
    for (index, message) in messages.into_iter().enumerate() {
        let row = match index {
            0 => message
                .strip_prefix(&HEADER)
                .map(|row| message.slice_ref(row))
                .context("no header")?,
            _ => message,
        };
        if !row.is_empty() && *row != TRAILER {
            rows.push(row);
        }
    }
    Ok(Table {
        name: table.to_owned(),
        copy: format!("COPY {table} ({}) FROM STDIN (FORMAT binary)", columns.join(", ")),
        rows,
    })
}

/// Writes rows, a few of each table in one transaction. Returns the duration.
fn write_rows(database: &Database, tables: &[Table]) -> Result<Duration> {
    let step = TOGETHER / tables.len();
    let most = tables.iter().map(|table| table.rows.len()).max().unwrap_or_default();
    database.run(async |client| {
        let started = Instant::now();
        for first in (0..most).step_by(step) {
            let transaction = client.transaction().await?;
            for table in tables {
                let rows = table.rows.iter().skip(first).take(step);
                let mut together = HEADER.to_vec();
                rows.for_each(|row| together.extend_from_slice(row));
                together.extend_from_slice(&TRAILER);
                let mut sink = std::pin::pin!(transaction.copy_in::<_, Bytes>(&table.copy).await?);
                sink.send(together.into()).await?;
                sink.finish().await?;
            }
            transaction.commit().await?;
        }
        Ok(started.elapsed())
    })
}
