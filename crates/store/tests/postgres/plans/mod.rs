//! Query plans on many rows: the server explains every statement of a store.

mod orders;
mod pulls;
mod watched;

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use uuid::Uuid;
use wearlab_store::{
    Actor, Advance, AuthorizationSecrets, ConnectionFilter, EventFilter, EventRetention, IdempotencyOutcome,
    IdempotentRequest, KeyHash, LogFilter, LogRead, NewAuthorization, OrganisationId, Progress, ReplayFilter,
    ReplayPosition, ReplayRead, Returned, Store, StoreError, TeamId, UndeliveredFilter,
};

use self::watched::{DAYS, NOW, USERS, Watched, ingest};
use crate::arriving::at;
use crate::server::wait;

/// Runs an operation, and returns the number of rows that it found.
type Work<'a> = Box<dyn Fn(&Store) -> Result<usize, StoreError> + 'a>;

/// Collects all steps of a plan.
fn steps(plan: &Value, found: &mut Vec<Value>) {
    found.push(plan.clone());
    for part in plan["Plans"].as_array().into_iter().flatten() {
        steps(part, found);
    }
}

/// Lists the steps of plans that scan a table, filter out many rows, or sort more than a handful.
fn scans_and_sorts(plans: &[Value]) -> Vec<String> {
    const HANDFUL: u64 = 100;
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let mut found = Vec::new();
    for plan in plans {
        let mut all = Vec::new();
        steps(&plan["Plan"], &mut all);
        for step in all {
            let kind = step["Node Type"].as_str().expect("a step");
            // These tables are small or empty, and the server's catalogue is small at first.
            let short = [
                "revisions",
                "meta",
                "outages",
                "pipelines",
                "webhooks",
                "pg_class",
                "pg_inherits",
            ];
            let scans = kind == "Seq Scan" && !short.iter().any(|table| step["Relation Name"] == *table);
            let sorts = kind.contains("Sort") && number(&step["Plans"][0]["Actual Rows"]) > HANDFUL;
            if scans || sorts || number(&step["Rows Removed by Filter"]) > 5_000 {
                let [table, index] = ["Relation Name", "Index Name"].map(|name| &step[name]);
                found.push(format!("{kind} of {table} by {index} in {}", plan["Query Text"]));
            }
        }
    }
    found
}

/// Returns the number of pages that plans read.
fn buffers(plans: &[Value]) -> u64 {
    let of = |plan: &Value, what: &str| plan["Plan"][what].as_u64().expect("a number");
    plans
        .iter()
        .map(|plan| of(plan, "Shared Hit Blocks") + of(plan, "Shared Read Blocks"))
        .sum()
}

fn of_log(after: i64) -> LogFilter {
    LogFilter {
        after,
        ..LogFilter::default()
    }
}

/// Counts the events in a page of the log.
fn logged(store: &Store, organisation: &OrganisationId, filter: LogFilter) -> Result<usize, StoreError> {
    match wait(store.organisation(organisation).events(&filter, 100))? {
        LogRead::Page(page) => Ok(page.events.len()),
        other => panic!("{other:?}"),
    }
}

/// Counts the events in a page of failed deliveries.
fn failed(
    store: &Store,
    organisation: &OrganisationId,
    team: TeamId,
    state: Option<&str>,
) -> Result<usize, StoreError> {
    let filter = UndeliveredFilter {
        team_id: Some(team.uuid()),
        state,
        ..UndeliveredFilter::default()
    };
    let page = wait(store.organisation(organisation).undelivered(&filter, 100))?;
    Ok(page.expect("the team").events.len())
}

/// Returns 1 if a replay has more parts than the first one.
fn replayed(store: &Store, organisation: &OrganisationId, team: TeamId) -> Result<usize, StoreError> {
    let filter = ReplayFilter {
        team_id: Some(team.uuid()),
        ..ReplayFilter::default()
    };
    let read = store.organisation(organisation);
    match wait(read.replay_part(&filter, ReplayPosition::default(), 100))? {
        ReplayRead::Part(part) => Ok(part.next.iter().count()),
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn no_statement_scans_or_sorts_and_all_pages_cost_the_same() {
    let watched = Watched::new();
    let team = watched.team;
    let user = Uuid::from_u128(77_777);
    let last = wait(watched.store.last_event()).expect("reads");
    let destination = watched.destination;
    let event = wait(watched.store.events(
        &EventFilter {
            team_id: None,
            after: last / 2,
            ..EventFilter::default()
        },
        1,
    ))
    .expect("reads");
    let event_id = &event.first().expect("an event").event_id;
    let put = |id: &'static str| wait(watched.store.write(move |write| write.put_organisation(id))).expect("is there");
    let (audited, few) = (put("org"), put("org of few"));
    let count = Cell::new(0);
    let page =
        |offset: i64| -> Work<'_> { Box::new(move |store| Ok(wait(store.team(team).users(offset, 100))?.users.len())) };
    let works: Vec<(&str, usize, Work<'_>)> = vec![
        ("the first page", 100, page(0)),
        ("a page in the middle", 100, page(USERS / 2 + 77)),
        ("the last page", 100, page(USERS - 100)),
        (
            "a user",
            1,
            Box::new(|store| Ok(wait(store.team(team).user(user))?.iter().count())),
        ),
        (
            "a user of a client_user_id",
            1,
            Box::new(|store| Ok(wait(store.team(team).user_of_client("client 7"))?.iter().count())),
        ),
        (
            "users of a prefix of client_user_id",
            10,
            Box::new(|store| Ok(wait(store.team(team).users_by_prefix("client 7", 10))?.len())),
        ),
        (
            "a device",
            1,
            Box::new(|store| Ok(wait(store.team(team).device(user, user))?.iter().count())),
        ),
        (
            "connections",
            1,
            Box::new(|store| Ok(wait(store.team(team).connections(user))?.expect("the user").len())),
        ),
        (
            "devices",
            1,
            Box::new(|store| Ok(wait(store.team(team).devices(user))?.expect("the user").len())),
        ),
        (
            "a key",
            1,
            Box::new(|store| {
                // Waits until the key has left the cache.
                thread::sleep(Duration::from_millis(60));
                Ok(wait(store.team_of_key("key 7"))?.iter().count())
            }),
        ),
        (
            "a management key",
            0,
            Box::new(|store| Ok(wait(store.organisation_of_key("key 7"))?.iter().count())),
        ),
        (
            "a token",
            1,
            Box::new(|store| Ok(wait(store.team_of_link_token("token 7", at(NOW)))?.iter().count())),
        ),
        (
            "a token of a user",
            1,
            Box::new(|store| Ok(wait(store.link_token("token of 7", at(NOW)))?.iter().count())),
        ),
        (
            "tokens of a team",
            100,
            Box::new(|store| Ok(wait(store.link_tokens(team, at(NOW), None, 100))?.link_tokens.len())),
        ),
        (
            "the tokens of a connection",
            1,
            Box::new(|store| Ok(wait(store.connection_tokens(team, user, "stridewell"))?.iter().count())),
        ),
        (
            "due refreshes",
            64,
            Box::new(|store| Ok(wait(store.due_refreshes(DateTime::<Utc>::MAX_UTC, 64))?.len())),
        ),
        (
            "no due refreshes",
            0,
            Box::new(|store| Ok(wait(store.due_refreshes(at(NOW), 64))?.len())),
        ),
        (
            "no interrupted exchanges",
            0,
            Box::new(|store| Ok(usize::from(wait(store.has_interrupted_authorizations(at(NOW)))?))),
        ),
        (
            "connections of an organisation",
            100,
            Box::new(|store| {
                let filter = ConnectionFilter::default();
                Ok(wait(store.connections_of_organisation(&audited, &filter, 100))?
                    .connections
                    .len())
            }),
        ),
        (
            "no connections of an organisation",
            0,
            Box::new(|store| {
                let filter = ConnectionFilter::default();
                Ok(wait(store.connections_of_organisation(&few, &filter, 100))?
                    .connections
                    .len())
            }),
        ),
        (
            "a user who is at a provider and comes back",
            1,
            Box::new(|store| {
                count.set(count.get() + 1);
                let (state, token) = (format!("new state {}", count.get()), KeyHash::of("token of 7"));
                let secrets = AuthorizationSecrets {
                    code_verifier: None,
                    has_own_redirect_uri: false,
                    token_origin: None,
                    redirect_uri: String::new(),
                    scopes: Vec::new(),
                    link_token: None,
                };
                let new = NewAuthorization {
                    link_token: &token,
                    provider: "stridewell",
                    state: &state,
                    session: None,
                    expires: at(NOW) + TimeDelta::minutes(10),
                    secrets: &secrets,
                };
                wait(store.write(|write| {
                    write.put_authorization_request(&new)?;
                    match write.return_from_provider(&state, None, at(NOW))? {
                        Returned::First(pending) => write.end_authorization(pending.id).map(usize::from),
                        other => panic!("{other:?}"),
                    }
                }))
            }),
        ),
        (
            "fresh",
            100,
            Box::new(|store| Ok(wait(store.fresh_events(destination, 100))?.len())),
        ),
        (
            "due",
            100,
            Box::new(|store| Ok(wait(store.due_events(destination, at(NOW), 100))?.len())),
        ),
        (
            "nothing due",
            0,
            Box::new(|store| Ok(wait(store.due_events(destination, DateTime::UNIX_EPOCH, 100))?.len())),
        ),
        (
            "next due",
            1,
            Box::new(|store| Ok(wait(store.next_due(destination))?.iter().count())),
        ),
        (
            "destinations of a team",
            20_000,
            Box::new(|store| {
                let listed = wait(store.organisation(&audited).destinations(Some(team.uuid())))?;
                let listed = listed.expect("the team").destinations;
                assert_eq!(listed.len(), 1);
                let backlog = &listed[0].backlog;
                assert!(backlog.oldest.is_some());
                Ok(usize::try_from(backlog.waiting + backlog.parked).expect("fits"))
            }),
        ),
        (
            "destinations of no team",
            0,
            Box::new(|store| {
                let listed = wait(store.organisation(&few).destinations(None))?;
                Ok(listed.expect("the organisation").destinations.len())
            }),
        ),
        (
            "failed deliveries",
            100,
            Box::new(|store| failed(store, &audited, team, None)),
        ),
        (
            "parked deliveries",
            100,
            Box::new(|store| failed(store, &audited, team, Some("parked"))),
        ),
        (
            "waiting deliveries",
            100,
            Box::new(|store| failed(store, &audited, team, Some("waiting"))),
        ),
        (
            "deliveries in no state",
            0,
            Box::new(|store| failed(store, &audited, team, Some("brand_new"))),
        ),
        (
            "failed deliveries of no team",
            0,
            Box::new(|store| {
                let page = wait(store.organisation(&few).undelivered(&UndeliveredFilter::default(), 100))?;
                Ok(page.expect("the organisation").events.len())
            }),
        ),
        (
            "teams with events",
            10,
            Box::new(|store| Ok(wait(store.teams_with_events(last - 20))?.len())),
        ),
        (
            "changes",
            1,
            Box::new(|store| Ok(usize::from(wait(store.changes())?.last_event > 0))),
        ),
        (
            "an event",
            1,
            Box::new(|store| Ok(wait(store.event(event_id))?.iter().count())),
        ),
        (
            "the log",
            100,
            Box::new(|store| {
                Ok(wait(store.events(
                    &EventFilter {
                        team_id: None,
                        after: last / 2,
                        ..EventFilter::default()
                    },
                    100,
                ))?
                .len())
            }),
        ),
        (
            "the log of a team",
            100,
            Box::new(|store| {
                Ok(wait(store.events(
                    &EventFilter {
                        team_id: Some(team.uuid()),
                        after: last / 2,
                        ..EventFilter::default()
                    },
                    100,
                ))?
                .len())
            }),
        ),
        (
            "the log of an organisation",
            100,
            Box::new(|store| logged(store, &audited, of_log(last / 2))),
        ),
        (
            "the log of an organisation's team",
            100,
            Box::new(|store| {
                let filter = LogFilter {
                    team_id: Some(team.uuid()),
                    ..of_log(last / 2)
                };
                logged(store, &audited, filter)
            }),
        ),
        (
            "the newest of the log of an organisation",
            100,
            Box::new(|store| {
                let filter = LogFilter {
                    before: Some(i64::MAX),
                    ..of_log(0)
                };
                logged(store, &audited, filter)
            }),
        ),
        (
            "the newest of the log of an organisation's team",
            100,
            Box::new(|store| {
                let filter = LogFilter {
                    before: Some(i64::MAX),
                    team_id: Some(team.uuid()),
                    ..of_log(0)
                };
                logged(store, &audited, filter)
            }),
        ),
        (
            "the log of a user",
            1,
            Box::new(|store| {
                let filter = LogFilter {
                    // A user of the first team.
                    user_id: Some(Uuid::from_u128(2400)),
                    ..of_log(0)
                };
                logged(store, &audited, filter)
            }),
        ),
        (
            "the log by type",
            100,
            Box::new(|store| {
                let filter = LogFilter {
                    event_type_prefix: Some("daily.data.steps".to_owned()),
                    ..of_log(last / 2)
                };
                logged(store, &audited, filter)
            }),
        ),
        (
            "nothing of the log",
            0,
            Box::new(|store| logged(store, &few, of_log(last / 2))),
        ),
        (
            "an organisation's event",
            1,
            Box::new(|store| Ok(wait(store.organisation(&audited).event(event_id))?.iter().count())),
        ),
        (
            "a part of a replay of a team",
            1,
            Box::new(|store| replayed(store, &audited, team)),
        ),
        (
            "organisations with events",
            1,
            Box::new(|store| Ok(wait(store.organisations_with_events(last - 20))?.len())),
        ),
        (
            "the audit log",
            100,
            Box::new(|store| Ok(wait(store.audit_log(&audited, USERS / 2, 100))?.len())),
        ),
        (
            "the audit log, back",
            100,
            Box::new(|store| Ok(wait(store.audit_log_back(&audited, USERS / 2, 100))?.len())),
        ),
        (
            "a short audit log",
            100,
            Box::new(|store| Ok(wait(store.audit_log(&few, 0, 100))?.len())),
        ),
        (
            "a request that may be sent again",
            1,
            Box::new(|store| {
                count.set(count.get() + 1);
                let request = IdempotentRequest::new("key", &count.get().to_string(), "create_user", b"");
                let actor = Actor {
                    key_id: "key".to_owned(),
                    request_id: "request".to_owned(),
                };
                wait(store.write(|write| {
                    assert_eq!(write.repeat(&request, at(NOW))?, IdempotencyOutcome::First);
                    write.audit(team, &actor, at(NOW), "create_user", None)?;
                    write.keep_response(&request, "a response", None, at(NOW))?;
                    write.repeat(&request, at(NOW)).map(|_| 1)
                }))
            }),
        ),
        (
            "a user within a write",
            1,
            Box::new(|store| {
                wait(store.write(|write| {
                    let id = write.user_id_of_client(team, "client 7")?.expect("the user");
                    assert!(!write.delete_connection(team, id, "none")?);
                    Ok(write.stored_user(team, id)?.iter().count())
                }))
            }),
        ),
        (
            "an arrival",
            1,
            Box::new(|store| {
                count.set(count.get() + 1);
                ingest(store, at(NOW), &format!("arrival {}", count.get())).map(|()| 1)
            }),
        ),
        (
            "progress",
            1,
            Box::new(|store| {
                count.set(count.get() + 2);
                let waiting = Progress::Waiting {
                    attempts: 1,
                    due: at(NOW),
                    reason: String::new(),
                };
                let advance = Advance {
                    results: vec![
                        (last / 2 + count.get(), waiting),
                        (last / 2 + count.get() - 20, Progress::Done),
                    ],
                    cursor: last / 2 + count.get(),
                    ordered: true,
                    ..Advance::default()
                };
                wait(store.write(|write| write.advance(destination, &advance, at(NOW)))).map(|()| 1)
            }),
        ),
        (
            "retention",
            0,
            Box::new(|store| {
                let before = at(NOW) - TimeDelta::days(DAYS + 1);
                let retention = EventRetention {
                    now: at(NOW),
                    delivered: before,
                    undelivered: before,
                };
                wait(store.write(|write| {
                    write.delete_unfinished_pulls(before)?;
                    write.delete_link_tokens(before)?;
                    write.delete_idempotency_keys(before)?;
                    Ok(write.prune(&retention, 0, 1000)?.deleted)
                }))
            }),
        ),
    ];
    let mut costs = Vec::new();
    let works = works.into_iter().chain(orders::works(team)).chain(pulls::works(team));
    for (what, rows, work) in works {
        let plans = watched.plans(|store| {
            let found = work(store)?;
            assert!(found >= rows, "{what}: {found} rows");
            Ok(())
        });
        let wrong = scans_and_sorts(&plans);
        costs.push((what, buffers(&plans), wrong));
    }
    let wrong: Vec<_> = costs.iter().filter(|(_, _, wrong)| !wrong.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Offsets at the edges of blocks and groups, and at the end.
    for offset in [0, 1, 15, 16, 17, 2047, 2048, 2049, 40_959, 40_960, USERS - 50, USERS] {
        let page = wait(watched.store.team(team).users(offset, 100)).expect("reads");
        let documents = page
            .users
            .iter()
            .map(|user| String::from_utf8_lossy(user.as_bytes()).into_owned());
        let documents: Vec<_> = documents.collect();
        assert_eq!(
            (documents, page.total),
            (watched.documents(offset, 100), USERS),
            "{offset}"
        );
    }
    let [first, middle, end] = [costs[0].1, costs[1].1, costs[2].1];
    for other in [middle, end] {
        assert!(
            other < 2 * first && first < 2 * other,
            "{first}, {middle} and {end} pages touched"
        );
    }
}
