//! Processor time of webhooks, for a backlog of one endpoint or of many.

use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::Utc;
use wearlab_models::Secret;
use wearlab_store::{SigningSecret, Store, StoreError, WebhookEndpoint};
use wearlab_tests::process::Wearlab;
use wearlab_tests::process::usage::processor;

use super::backlog::{USERS, line};
use super::sink::{Sink, speed};
use super::webhooks::Receiver;
use crate::environment::Environment;
use crate::population::{lines_of_teams, team_id};
use crate::service::start;

const SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// Store with one team for each endpoint, like a service with many customers.
pub(super) struct Endpoints<'a> {
    environment: &'a Environment,
    wearlab: Wearlab,
    receiver: Receiver,
    count: u32,
    users: u32,
    /// Number of events so far.
    events: u32,
}

impl<'a> Endpoints<'a> {
    pub(super) fn new(environment: &'a Environment, name: &str, count: u32) -> Result<Self> {
        let (directory, receiver) = (environment.scratch(name)?, Receiver::with_addresses(count)?);
        let users = environment.scale.users[0].min(USERS);
        let settings = receiver.settings();
        let settings: Vec<_> = settings.iter().map(String::as_str).collect();
        let wearlab = environment.wearlab(&directory, &settings);
        wearlab.import(lines_of_teams(count, users))?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let store = Store::open(&directory.join("data"))?;
        // A destination gets only events that are written after it was created.
        runtime.block_on(store.write(|write| {
            for (number, url) in (0..count).zip(receiver.urls()) {
                let endpoint = endpoint(number, count, url);
                write.put_webhook(&endpoint)?;
                let team = write
                    .team(endpoint.team_id)?
                    .ok_or(StoreError::Missing { what: "team" })?;
                write.destination(team, "webhook", Some(&endpoint.webhook_id))?;
            }
            Ok(())
        }))?;
        Ok(Self {
            environment,
            wearlab,
            receiver,
            count,
            users,
            events: 0,
        })
    }

    /// Fills the log with `count` events while no service runs. Returns the processor time of the service for each
    /// event until all have arrived, in microseconds, including its start.
    pub(super) fn spend(&mut self, count: u32) -> Result<f64> {
        let line = |event: u32| {
            let (user, day) = (event % self.users, event / self.users);
            line(team_id(user, self.count), user, day, event)
        };
        let lines: Option<Vec<_>> = (self.events..self.events + count).map(line).collect();
        self.events += count;
        let lines = lines.context("a date too far")?.into_iter();
        self.environment.import(self.wearlab.command(&["ingest", "-"]), lines)?;
        let service = start(&self.wearlab)?;
        speed(&self.receiver, None, count)?;
        // Waits until the cursors are saved.
        sleep(Duration::from_secs(1));
        let spent = processor(service.pid().context("the service does not run")?)?;
        Ok(spent.as_secs_f64() * 1e6 / f64::from(count))
    }
}

fn endpoint(number: u32, count: u32, url: String) -> WebhookEndpoint {
    WebhookEndpoint {
        webhook_id: format!("wh_{number}"),
        team_id: team_id(number, count),
        url,
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::from(SECRET),
            until: None,
        }],
        created_on: Utc::now(),
        disabled: None,
    }
}
