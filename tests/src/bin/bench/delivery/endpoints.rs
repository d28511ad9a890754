//! What a webhook takes of a processor, where a backlog is for one endpoint, or for many at once.

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

/// A store of as many teams as endpoints: each gets the events of its team, as those of a service's customers do.
pub(super) struct Endpoints<'a> {
    environment: &'a Environment,
    wearlab: Wearlab,
    receiver: Receiver,
    count: u32,
    users: u32,
    /// How many events there were.
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
        // A destination gets what comes after it was there.
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

    /// Fills the log with so many events while no service runs, and says how many microseconds of a processor a service takes
    /// for each of them until all have arrived, its start included.
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
        // What arrived is written down.
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
