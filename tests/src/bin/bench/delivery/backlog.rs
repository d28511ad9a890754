//! Backlog of events: the log is filled while no service runs, and delivered once one does.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_tests::process::Wearlab;

use super::sink::{Sink, speed};
use crate::environment::Environment;
use crate::population::{TEAM, pipeline, user_id};
use crate::service::start;

/// Number of users with events, in turns.
pub(super) const USERS: u32 = 10_000;
/// Number of values of a day, which make an event about 1 KiB long.
const VALUES: u32 = 16;
/// Time limit until a destination gets its first event.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A store with a backlog.
pub(crate) struct Backlog<'a> {
    environment: &'a Environment,
    wearlab: Wearlab,
    users: u32,
    /// Number of events so far.
    events: u32,
}

impl<'a> Backlog<'a> {
    /// Creates a store with `users` users whose events go to a sink.
    pub(crate) fn new(environment: &'a Environment, users: u32, sink: &dyn Sink) -> Result<Self> {
        let directory = environment.copied(users, &format!("backlog-{users}"))?;
        Self::of(environment, settings(environment, &directory, sink), users, sink)
    }

    /// Creates one in a database.
    pub(crate) fn in_database(environment: &'a Environment, url: &str, users: u32, sink: &dyn Sink) -> Result<Self> {
        let directory = environment.scratch("backlog-in-database")?;
        let wearlab = settings(environment, &directory, sink).on(url.to_owned());
        Self::of(environment, wearlab, users, sink)
    }

    fn of(environment: &'a Environment, wearlab: Wearlab, users: u32, sink: &dyn Sink) -> Result<Self> {
        wearlab.import([pipeline(&sink.pipeline()).to_string()].into_iter())?;
        sink.connect(&wearlab)?;
        let mut backlog = Self {
            environment,
            wearlab,
            users: users.min(USERS),
            events: 0,
        };
        backlog.greet(sink)?;
        Ok(backlog)
    }

    /// Waits until the service has created the destination, which gets only later events.
    fn greet(&mut self, sink: &dyn Sink) -> Result<()> {
        let service = start(&self.wearlab)?;
        let begun = Instant::now();
        while sink.arrived(Some(&service.url()))? == 0 {
            ensure!(begun.elapsed() < TIMEOUT, "nothing arrives within {TIMEOUT:?}");
            self.ingest(1)?;
            sleep(Duration::from_millis(500));
        }
        drop(service);
        sink.empty()
    }

    /// Fills the log with `count` events, and returns the number of events that arrive per second once a service runs.
    pub(crate) fn goes_out(&mut self, sink: &dyn Sink, count: u32) -> Result<f64> {
        self.ingest(count)?;
        let service = start(&self.wearlab)?;
        let speed = speed(sink, Some(&service.url()), count)?;
        // Waits until the cursor is saved, so that the events are not sent again.
        sleep(Duration::from_secs(1));
        drop(service);
        Ok(speed)
    }

    fn ingest(&mut self, count: u32) -> Result<()> {
        let lines: Option<Vec<_>> = (self.events..self.events + count)
            .map(|event| line(TEAM, event % self.users, event / self.users, event))
            .collect();
        self.events += count;
        let lines = lines.context("a date too far")?.into_iter();
        self.environment.import(self.wearlab.command(&["ingest", "-"]), lines)
    }
}

/// Returns the binary with a directory, and the settings of a sink.
fn settings(environment: &Environment, directory: &Path, sink: &dyn Sink) -> Wearlab {
    let settings = sink.settings();
    let settings: Vec<_> = settings.iter().map(String::as_str).collect();
    environment.wearlab(directory, &settings)
}

/// Returns new data of a user, as a line to ingest: another day each time, and another value for each event.
pub(super) fn line(team: Uuid, user: u32, day: u32, event: u32) -> Option<String> {
    let date = NaiveDate::from_ymd_opt(2026, 1, 1)?.checked_add_days(Days::new(day.into()))?;
    let value =
        |number| json!({"timestamp": format!("{date}T{:02}:30:00+02:00", number), "value": event % 997 + number});
    let values: Vec<Value> = (0..VALUES).map(value).collect();
    let line = json!({"data": {
        "team_id": team, "user_id": user_id(user), "provider": "stridewell", "resource": "steps",
        "date": date, "source": {"type": "watch"}, "data": values,
    }});
    Some(line.to_string())
}
