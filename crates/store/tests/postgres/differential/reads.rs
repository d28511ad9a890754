//! Comparison of all reads, of existing and missing objects.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;
use wearlab_models::{Encoded, Environment, Region};
use wearlab_store::{EventFilter, IntrospectionFilter, PipelineFilter, StoreError, TeamId};

use super::pair::{Pair, Side};
use super::records::{TEAMS, USERS, key, lab_test};
use super::texts::{one_of, text, time};
use super::work::WEBHOOKS;
use crate::arriving::at;
use crate::server::wait;

fn bytes<T>(encoded: Encoded<T>) -> String {
    String::from_utf8(encoded.as_bytes().to_vec()).expect("text")
}

fn all<T>(encoded: Vec<Encoded<T>>) -> Vec<String> {
    encoded.into_iter().map(bytes).collect()
}

/// Formats the result of a read.
fn message<T: Debug>(read: Result<T, StoreError>) -> String {
    format!("{:?}", read.expect("reads"))
}

pub(super) fn compare(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>) {
    let mut teams = Vec::new();
    for id in 1..=TEAMS {
        teams.extend(pair.write(|write, _| write.team(Uuid::from_u128(id))).expect("reads"));
    }
    for team in teams {
        of_team(pair, rng, team);
    }
    for _ in 0..6 {
        of_all(pair, rng, now);
    }
    audit_log(pair);
}

/// Compares the audit log of an organisation. Each engine has numbers of its own.
fn audit_log(pair: &mut Pair) {
    let organisation = pair.write(|write, _| write.put_organisation("org_a"));
    let organisation = organisation.expect("writes");
    pair.both("an audit log", |side| {
        let mut log = wait(side.store.audit_log(&organisation, 0, i64::MAX)).expect("reads");
        assert!(log.is_sorted_by(|one, next| one.number < next.number));
        for entry in &mut log {
            entry.number = 0;
        }
        log
    });
}

fn of_team(pair: &mut Pair, rng: &mut ChaCha8Rng, team: TeamId) {
    let offsets = [-1, 0, 1, 2, i64::MAX];
    let (offset, limit) = (one_of(rng, &offsets), one_of(rng, &[0, 1, 2, 100, i64::MAX]));
    let (test, account) = (lab_test(rng), Uuid::from_u128(rng.random_range(1..4)));
    let (page, size) = (one_of(rng, &[0, 1, 2, i64::MAX]), one_of(rng, &[0, 1, 100, i64::MAX]));
    let account = (rng.random_range(0..2) == 0).then_some(account);
    let client = text(&mut rng.clone());
    pair.both("what a team reads", |side| {
        let store = side.store.team(team);
        let mut read = Vec::new();
        for user in (1..=USERS).map(Uuid::from_u128) {
            read.push(message(wait(store.user(user)).map(|user| user.map(bytes))));
            read.push(message(wait(store.connections(user)).map(|found| found.map(all))));
            read.push(message(wait(store.devices(user)).map(|found| found.map(all))));
            for device in (0..9).map(Uuid::from_u128) {
                read.push(message(wait(store.device(user, device)).map(|found| found.map(bytes))));
            }
        }
        read.push(message(
            wait(store.user_of_client(&client)).map(|found| found.map(bytes)),
        ));
        let few = usize::try_from(size).unwrap_or(usize::MAX);
        read.push(message(wait(store.users_by_prefix(&client, few)).map(all)));
        read.push(message(
            wait(store.users(offset, limit)).map(|page| (all(page.users), page.total)),
        ));
        read.push(message(
            wait(store.users(0, 100)).map(|page| (all(page.users), page.total)),
        ));
        for user_id in (1..=USERS).map(Uuid::from_u128).map(Some).chain([None]) {
            let filter = IntrospectionFilter {
                user_id,
                ..IntrospectionFilter::default()
            };
            read.push(message(wait(store.introspected_resources(&filter, 3))));
            read.push(message(wait(store.historical_pulls(&filter, 3))));
        }
        for id in WEBHOOKS {
            read.push(message(wait(store.webhook(id))));
        }
        let mut after = None;
        loop {
            let page = wait(store.webhooks(after.as_deref(), 1)).expect("reads");
            read.push(format!("{page:?}"));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        let markers = wait(store.markers(&test, account, page, size));
        read.push(message(
            markers.map(|page| page.map(|page| (all(page.markers), page.total))),
        ));
        read
    });
}

fn of_all(pair: &mut Pair, rng: &mut ChaCha8Rng, now: DateTime<Utc>) {
    let (slug, key, expired) = (text(rng), key(rng), at(time(rng)));
    let team_id = Uuid::from_u128(rng.random_range(1..=TEAMS));
    let (team, limit) = ((rng.random_range(0..2) == 0).then_some(team_id), rng.random_range(1..4));
    let event = match pair.events.is_empty() {
        true => "evt_none".to_owned(),
        false => one_of(rng, &pair.events),
    };
    let environment = one_of(rng, &[Environment::Sandbox, Environment::Production]);
    let region = one_of(rng, &[Region::Us, Region::Eu]);
    let organisation = pair.write(|write, _| write.put_organisation("org_a")).expect("writes");
    pair.both("what anybody reads", |side| {
        let store = &side.store;
        let mut read = vec![
            message(wait(store.providers(None)).map(all)),
            message(wait(store.providers(Some(&slug))).map(all)),
            message(wait(store.oauth_provider(&slug)).map(|found| found.map(bytes))),
            message(wait(store.cancellation_reasons()).map(all)),
            message(wait(store.team_of_key(&key))),
            message(wait(store.organisation_of_key(&key))),
            message(wait(store.team_of_link_token(&key, expired))),
            message(wait(store.team_of_link_token(&key, now))),
            message(wait(store.keys())),
            message(wait(store.meta(&slug))),
            message(wait(store.is_empty())),
            message(wait(store.webhooks())),
            message(wait(store.pipeline(team_id))),
            message(wait(store.all_pipelines())),
            message(wait(store.event(&event)).map(|event| event.map(|event| (event.event_id, bytes(event.payload))))),
        ];
        read.extend(pages(side, team, limit, &event));
        let mut filter = PipelineFilter {
            team_id: team,
            after: None,
        };
        loop {
            let page = wait(store.pipelines(&organisation, environment, region, &filter, limit)).expect("reads");
            read.push(format!("{page:?}"));
            filter.after = page.next;
            if page.next.is_none() {
                return read;
            }
        }
    });
}

/// Reads some pages of the log from an event on.
fn pages(side: &Side, team_id: Option<Uuid>, limit: usize, from: &String) -> Vec<String> {
    let mut after = side.numbers.get(from).copied().unwrap_or_default();
    let mut read = Vec::new();
    for _ in 0..10 {
        let events = wait(side.store.events(
            &EventFilter {
                team_id,
                after,
                ..EventFilter::default()
            },
            limit,
        ))
        .expect("reads");
        let Some(last) = events.last() else { break };
        after = last.number;
        read.extend(events.into_iter().map(|event| event.event_id));
    }
    read
}
