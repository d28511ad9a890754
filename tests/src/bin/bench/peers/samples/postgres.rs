//! Samples as rows of PostgreSQL.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::body::Bytes;
use futures_util::{SinkExt, TryStreamExt};

use super::{Samples, compare};
use crate::environment::Environment;
use crate::postgres::{Database, Databases};
use crate::results::Comparison;
use crate::samples::{Reading, timestamp};

/// A series is a number, and no column is padded: a table of samples cannot be much smaller.
const TABLE: &str = "DROP TABLE IF EXISTS samples; CREATE TABLE samples (
    time timestamptz NOT NULL,
    start timestamptz,
    value double precision NOT NULL,
    series integer NOT NULL,
    type text,
    UNIQUE NULLS NOT DISTINCT (series, time, type)
)";
const READ: &str = r#"COPY (
    SELECT json_build_object('timestamp', to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'value', value, 'unit', 'bpm')
    FROM samples WHERE series = 0 ORDER BY time
) TO STDOUT"#;

struct Rows(Database);

pub(in super::super) fn run(environment: &Environment) -> Result<Vec<Comparison>> {
    let databases = Databases::start(environment)?.context("Debian's package postgresql is missing")?;
    compare(environment, &mut Rows(databases.create("samples")?))
}

impl Samples for Rows {
    const STORED: &str = "rows of PostgreSQL, a number for a series, with their unique index: no checksums";
    const READ: &str = "PostgreSQL, which writes rows as JSON into one stream: no HTTP, keys, teams, pages or grouping";

    fn store(&mut self, samples: &[Reading]) -> Result<f64> {
        let mut lines = String::new();
        for sample in samples {
            let time = timestamp(sample.time);
            let start = sample.start.map_or("\\N".into(), timestamp);
            let kind = sample.kind.unwrap_or("\\N");
            writeln!(lines, "{time}\t{start}\t{}\t0\t{kind}", sample.value)?;
        }
        self.0.run(async |client| {
            client.batch_execute(TABLE).await?;
            let mut sink = std::pin::pin!(client.copy_in::<_, Bytes>("COPY samples FROM STDIN").await?);
            sink.send(lines.into()).await?;
            sink.finish().await?;
            client.batch_execute("VACUUM ANALYZE samples").await?;
            let row = client
                .query_one("SELECT pg_total_relation_size('samples')", &[])
                .await?;
            Ok(row.try_get::<_, i64>(0)? as f64)
        })
    }

    fn read(&mut self) -> Result<(u32, Duration)> {
        self.0.run(async |client| {
            let started = Instant::now();
            let rows = client.copy_out(READ).await?;
            // The server sends each row in a message of its own.
            let count = rows.try_fold(0, async |count, _| Ok(count + 1)).await?;
            Ok((count, started.elapsed()))
        })
    }
}
