//! A store with many rows whose statements the server explains.

use std::cell::Cell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::{DestinationId, Ingestion, PostgresSettings, Store, StoreError, TeamId};

use crate::arriving::{NO_FORMS, arrival, at, ingestion};
use crate::server::{Schema, directory, wait};

/// Number of users of the first team. Other teams have one each.
pub(super) const USERS: i64 = 100_000;
const TEAMS: i64 = 2_000;
/// Number of days in the log.
pub(super) const DAYS: i64 = 40;
pub(super) const NOW: &str = "2026-06-10T12:00:00Z";

pub(super) struct Watched {
    pub(super) store: Store,
    pub(super) team: TeamId,
    pub(super) destination: DestinationId,
    /// Process of the server that serves the store.
    process: i64,
    read: Cell<u64>,
    /// Dropped last.
    schema: Schema,
}

impl Watched {
    /// Reads the documents of a page of users directly, with an offset.
    pub(super) fn documents(&self, offset: i64, limit: i64) -> Vec<String> {
        self.schema.raw().texts(&format!(
            "SELECT document FROM users WHERE team_id = '\\x{}' ORDER BY created_on, user_id LIMIT {limit} OFFSET {offset}",
            self.team.uuid().simple()
        ))
    }

    pub(super) fn new() -> Self {
        let schema = Schema::new();
        drop(schema.store());
        let rows = |sql: &str| {
            let sql = sql
                .replace("TEAMS", &TEAMS.to_string())
                .replace("USERS", &USERS.to_string());
            schema.raw().run(&sql);
        };
        rows(include_str!("rows.sql"));
        // The server logs the plan of every statement.
        let explain = "%20-c%20session_preload_libraries%3Dauto_explain%20-c%20auto_explain.log_min_duration%3D0\
            %20-c%20auto_explain.log_analyze%3Don%20-c%20auto_explain.log_buffers%3Don\
            %20-c%20auto_explain.log_timing%3Doff%20-c%20auto_explain.log_format%3Djson";
        let settings = PostgresSettings {
            connections: 1,
            ..PostgresSettings::new(format!("{}{explain}&application_name={}", schema.url(), schema.name))
        };
        let store = wait(Store::connect(&settings, &[])).expect("a store");
        let team = wait(store.team_of_key("key 1")).expect("reads").expect("the team");
        // The store creates the partitions.
        for ago in (0..DAYS).rev() {
            ingest(&store, at(NOW) - TimeDelta::days(ago), &format!("first {ago}")).expect("is taken");
        }
        let destination = wait(store.write(|write| write.destination(team, "rabbitmq", None))).expect("writes");
        rows(include_str!("events.sql"));
        schema.raw().run("ANALYZE");
        let process = schema.raw().number(&format!(
            "SELECT pid::bigint FROM pg_stat_activity WHERE application_name = '{}'",
            schema.name
        ));
        Self {
            schema,
            store,
            team,
            destination,
            process,
            read: Cell::new(0),
        }
    }

    /// Returns the plans of an operation, after enough runs for the server to choose generic plans.
    pub(super) fn plans<T>(&self, work: impl Fn(&Store) -> Result<T, StoreError>) -> Vec<Value> {
        for _ in 0..8 {
            work(&self.store).expect("works");
        }
        self.new_plans();
        work(&self.store).expect("works");
        let plans = self.new_plans();
        assert!(!plans.is_empty(), "the server explains");
        plans
    }

    /// Reads the plans that the server has logged since the last call.
    fn new_plans(&self) -> Vec<Value> {
        let mut log = File::open(directory().join("log")).expect("the server's log");
        log.seek(SeekFrom::Start(self.read.get())).expect("seeks");
        let mut text = Vec::new();
        let length = log.read_to_end(&mut text).expect("reads");
        self.read.set(self.read.get() + u64::try_from(length).expect("fits"));
        let text = String::from_utf8_lossy(&text);
        let head = format!("[{}] LOG:  duration: ", self.process);
        let mut lines = text.lines().peekable();
        let mut plans = Vec::new();
        while let Some(line) = lines.next() {
            let mut plan = String::new();
            while let Some(more) = lines.next_if(|line| line.starts_with('\t')) {
                plan.push_str(more.trim_start());
            }
            if line.contains(&head) {
                plans.push(serde_json::from_str(&plan).expect("a plan"));
            }
        }
        plans
    }
}

/// Ingests data of the first team's first user that differ each time.
pub(super) fn ingest(store: &Store, now: DateTime<Utc>, value: &str) -> Result<(), StoreError> {
    let sample = json!({"timestamp": "2026-05-02T10:00:00Z", "value": 1, "of": value});
    let data = json!({"user_id": Uuid::from_u128(1), "date": "2026-05-02", "data": [sample], "arrival_id": value});
    let ingestion = Ingestion {
        now,
        ..ingestion(NO_FORMS)
    };
    wait(store.write(|write| write.ingest(&arrival("data", data), &ingestion))).map(drop)
}
