//! Arrivals on a server with high latency: their reads and writes are pipelined.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use uuid::Uuid;
use wearlab_store::{ConnectionRecord, Ingested, PostgresSettings, Record, Store, StoreError, ValidArrival};

use crate::arriving::{AT, NO_FORMS, USER, arrival, day, ingestion, sample_of};
use crate::server::{Schema, populated, server_url, wait};
use crate::world::{connection, user};

/// Latency in each direction.
const LATENCY: Duration = Duration::from_millis(5);

/// Starts a proxy with latency in front of the server, and returns its URL.
fn far_away() -> String {
    let url = server_url();
    let host = url.split(['@', '/', '?']).find(|part| part.starts_with("127.0.0.1:"));
    let host = host.expect("a server on loopback").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("an address").to_string();
    let url = url.replace(&host, &address);
    thread::spawn(move || {
        for client in listener.incoming() {
            let (client, server) = (client.expect("accepts"), TcpStream::connect(&host).expect("connects"));
            for (from, to) in [(&client, &server), (&server, &client)] {
                let (from, to) = (from.try_clone().expect("clones"), to.try_clone().expect("clones"));
                to.set_nodelay(true).expect("sets");
                carry(from, to);
            }
        }
    });
    url
}

/// Forwards bytes after the latency.
fn carry(mut from: TcpStream, mut to: TcpStream) {
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || -> io::Result<()> {
        for (due, bytes) in receiver {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            to.write_all(&bytes)?;
        }
        to.shutdown(Shutdown::Write)
    });
    thread::spawn(move || -> io::Result<()> {
        let mut buffer = [0; 1 << 14];
        loop {
            let length = from.read(&mut buffer)?;
            if length == 0
                || sender
                    .send((Instant::now() + LATENCY, buffer[..length].to_vec()))
                    .is_err()
            {
                return Ok(());
            }
        }
    });
}

/// Creates a store on a server with high latency.
fn store_far_away(schema: &Schema) -> Store {
    let settings = PostgresSettings {
        connections: 4,
        ..PostgresSettings::new(schema.at(&far_away()))
    };
    wait(Store::connect(&settings, &[])).expect("a store")
}

/// Returns which of some notes are in a store.
fn has_notes<const N: usize>(store: &Store, names: [&str; N]) -> [bool; N] {
    names.map(|name| wait(store.meta(name)).expect("reads").is_some())
}

/// Ingests arrivals in one write, and returns its duration.
fn take(store: &Store, arrivals: &[ValidArrival], ahead: bool) -> Duration {
    let began = Instant::now();
    let taken = wait(store.write(|write| {
        let ingestion = ingestion(NO_FORMS);
        if ahead {
            write.prefetch(arrivals, &ingestion)?;
        }
        arrivals
            .iter()
            .map(|arrival| write.ingest(arrival, &ingestion))
            .collect()
    }));
    let taken: Vec<_> = taken.expect("writes");
    assert!(taken.iter().all(|taken| *taken == Ingested::Taken), "{taken:?}");
    began.elapsed()
}

#[test]
#[ignore = "needs PostgreSQL"]
fn many_arrivals_wait_for_a_server_that_is_far_away_as_long_as_a_few() {
    let schema = Schema::new();
    populated(&schema.store());
    let store = store_far_away(&schema);
    let days = |month: u32| -> Vec<_> {
        (1..=28)
            .map(|number| day(&format!("2026-{month:02}-{number:02}"), 1))
            .collect()
    };
    // Prepares the statements, and makes the resource available on the connection.
    take(&store, &days(1), false);
    take(&store, &days(2), true);
    let one_by_one = take(&store, &days(3), false);
    let together = take(&store, &days(4), true);
    assert!(
        one_by_one > together * 5,
        "{one_by_one:?} one by one, {together:?} together"
    );
    let events = wait(schema.store().changes()).expect("reads").last_event;
    assert_eq!(events, 4 * 28);
    // Also those that have values of the next day.
    let two_days = |month: u32| -> Vec<_> {
        let date = |number: u32| format!("2026-{month:02}-{number:02}");
        let of = |number: u32| {
            let data = [number, number + 1].map(|number| sample_of(&date(number), number.into()));
            arrival("data", json!({"date": date(number), "data": data}))
        };
        (1..=27).map(of).collect()
    };
    let one_by_one = take(&store, &two_days(5), false);
    let together = take(&store, &two_days(6), true);
    assert!(
        one_by_one > together * 2,
        "{one_by_one:?} one by one, {together:?} together"
    );
    let noted = "FROM days WHERE day LIKE '2026-0";
    let [before, ahead] = [5, 6].map(|month| {
        let of_month = |more: &str| schema.raw().number(&format!("SELECT count(*) {noted}{month}-%'{more}"));
        [of_month(""), of_month(" AND has_data = 1"), of_month(" AND hash = ''")]
    });
    assert_eq!((before, ahead), ([28, 28, 1], [28, 28, 1]));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_text_that_the_server_refuses_is_of_its_arrival_alone() {
    let schema = Schema::new();
    let store = schema.store();
    populated(&store);
    let ingestion = ingestion(NO_FORMS);
    let with_id = |id: &str| {
        arrival(
            "data",
            json!({"arrival_id": id, "date": format!("2026-05-0{}", id.len())}),
        )
    };
    let arrivals = ["a", "a\0", "abc"].map(with_id);
    let outcomes = wait(store.write(|write| {
        write.prefetch(&arrivals, &ingestion)?;
        let each = arrivals.iter().map(|arrival| {
            let taken = write.attempt(|write| write.ingest(arrival, &ingestion));
            matches!(taken, Ok(Ingested::Taken))
        });
        Ok(each.collect::<Vec<_>>())
    }));
    assert_eq!(outcomes.expect("writes"), [true, false, true]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn answers_of_any_length_hold_up_nothing() {
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    // Longer than the driver buffers of a response that nobody reads.
    let long = |slug: &str| {
        let mut long = connection(slug, AT);
        long.name = "x".repeat(40_000);
        long
    };
    let users: Vec<_> = (100..110).map(|id| user(team, id, AT)).collect();
    let records = |slug: &str| {
        let connections = users.iter().map(|user| {
            let (team_id, user_id) = (user.team_id, user.user_id);
            let provider = long(slug);
            Record::Connection(ConnectionRecord {
                team_id,
                user_id,
                provider,
            })
        });
        let users = users.iter().cloned().map(Record::User);
        users.chain(connections).collect::<Vec<_>>()
    };
    for slug in ["stridewell", "pulsely", "other"] {
        // A new connection each time, without prepared statements.
        let store = schema.store();
        let records = records(slug);
        let written = wait(store.write(|write| {
            write.prefetch_records(&records)?;
            records.iter().try_for_each(|record| write.put(record))
        }));
        written.expect("writes");
    }
    let sources = wait(store.team(team).connections(Uuid::from_u128(105))).expect("reads");
    assert_eq!(sources.map(|sources| sources.len()), Some(3));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_question_that_failed_fails_the_write_even_if_nobody_needed_it() {
    let schema = Schema::new();
    populated(&schema.store());
    let settings = PostgresSettings {
        statement_timeout: Duration::from_millis(500),
        ..schema.settings()
    };
    let store = wait(Store::connect(&settings, &[])).expect("a store");
    let (arrival, ingestion) = (day("2026-05-01", 1), ingestion(NO_FORMS));
    // Prepares the statements, because preparing is not pipelined.
    wait(store.write(|write| write.prefetch([&arrival], &ingestion))).expect("reads");
    let raw = schema.raw();
    raw.run("BEGIN; LOCK TABLE samples IN ACCESS EXCLUSIVE MODE");
    let written = wait(store.write(|write| {
        write.put_meta("note", "written")?;
        write.prefetch([&arrival], &ingestion)
    }));
    assert!(matches!(written, Err(StoreError::Busy)), "{written:?}");
    let alone = wait(store.write(|write| {
        write.prefetch([&arrival], &ingestion)?;
        let part = write.attempt(|write| write.ingest(&arrival, &ingestion));
        assert!(matches!(part, Err(StoreError::Busy)), "{part:?}");
        part
    }));
    assert!(matches!(alone, Err(StoreError::Busy)), "{alone:?}");
    raw.run("ROLLBACK");
    let note = wait(store.write(|write| write.meta("note"))).expect("reads");
    assert_eq!(note, None);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_fails_later_is_of_the_part_that_it_was_sent_in() {
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    let of_slug = |slug: &str| {
        Record::Connection(ConnectionRecord {
            team_id: team.uuid(),
            user_id: Uuid::from_u128(USER),
            provider: connection(slug, AT),
        })
    };
    let outcomes = wait(store.write(|write| {
        write.put_meta("first", "")?;
        // Prepares the statements, because preparing is not pipelined.
        write.put(&of_slug("pulsely"))?;
        let refused = of_slug("a\0");
        let mut within = None;
        let outer = write.attempt(|write| {
            write.put(&refused)?;
            within = Some(write.attempt(|write| write.put_meta("inner", "")));
            write.put_meta("outer", "")
        });
        write.attempt(|write| write.put_meta("last", ""))?;
        Ok((outer, within))
    }));
    let (outer, within) = outcomes.expect("writes");
    assert!(
        matches!(outer, Err(StoreError::Engine(_) | StoreError::Conflict { .. })),
        "{outer:?}"
    );
    assert!(matches!(within, Some(Err(StoreError::Conflict { .. }))), "{within:?}");
    assert_eq!(
        has_notes(&store, ["first", "inner", "outer", "last"]),
        [true, false, false, true]
    );
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_part_that_passes_over_a_failure_fails() {
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    let refused = Record::User({
        let mut refused = user(team, 100, AT);
        refused.client_user_id = "a\0".to_owned();
        refused
    });
    let passed_over = wait(store.write(|write| {
        let outer = write.attempt(|write| {
            write.put_meta("outer", "")?;
            drop(write.put(&refused));
            Ok(())
        });
        let inner = write.attempt(|write| {
            write.put_meta("before", "")?;
            drop(write.put(&refused));
            write.attempt(|write| write.put_meta("inner", ""))
        });
        write.put_meta("last", "")?;
        Ok((outer.is_err(), inner.is_err()))
    }));
    assert_eq!(passed_over.expect("writes"), (true, true));
    assert_eq!(
        has_notes(&store, ["outer", "before", "inner", "last"]),
        [false, false, false, true]
    );
    let lost = wait(store.write(|write| {
        write.put_meta("lost", "")?;
        drop(write.put(&refused));
        Ok(())
    }));
    assert!(lost.is_err(), "{lost:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn more_is_sent_than_is_kept_without_a_response() {
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    let records: Vec<_> = (1_000..4_000).map(|id| Record::User(user(team, id, AT))).collect();
    let written = wait(store.write(|write| {
        write.prefetch_records(&records)?;
        records.iter().try_for_each(|record| write.put(record))
    }));
    written.expect("writes");
    let page = wait(store.team(team).user_list(2_950, 100)).expect("reads");
    let page: serde_json::Value = serde_json::from_slice(page.as_bytes()).expect("JSON");
    assert_eq!(page["total"], 3_001);
    assert_eq!(page["users"].as_array().map(Vec::len), Some(51));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn records_wait_together_and_find_each_other() {
    let schema = Schema::new();
    let team = populated(&schema.store());
    let store = store_far_away(&schema);
    let put = |ids: std::ops::Range<u128>, ahead: bool| {
        let users = ids.map(|id| Record::User(user(team, id, AT)));
        let records: Vec<Record> = users.collect();
        let began = Instant::now();
        let written = wait(store.write(|write| {
            if ahead {
                write.prefetch_records(&records)?;
            }
            records.iter().try_for_each(|record| write.put(record))
        }));
        written.map(|()| began.elapsed())
    };
    put(100..120, true).expect("writes");
    let one_by_one = put(200..240, false).expect("writes");
    let together = put(300..340, true).expect("writes");
    assert!(
        one_by_one > together * 5,
        "{one_by_one:?} one by one, {together:?} together"
    );
    // Existing and new users.
    put(330..350, true).expect("writes");
    let page = wait(store.team(team).user_list(0, 100)).expect("reads");
    let page: serde_json::Value = serde_json::from_slice(page.as_bytes()).expect("JSON");
    assert_eq!(page["total"], 1 + 20 + 40 + 40 + 10);
    let mut same_client_id = user(team, 401, AT);
    same_client_id.client_user_id = user(team, 400, AT).client_user_id;
    let both = [user(team, 400, AT), same_client_id].map(Record::User);
    let refused = wait(store.write(|write| {
        write.prefetch_records(&both)?;
        both.iter().try_for_each(|record| write.put(record))
    }));
    assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{refused:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_was_asked_for_arrivals_is_asked_again_once_it_may_have_changed() {
    let schema = Schema::new();
    let store = schema.store();
    let team = populated(&store);
    let (arrival, ingestion) = (day("2026-05-01", 1), ingestion(NO_FORMS));
    let user_id = Uuid::from_u128(USER);
    let outcomes = wait(store.write(|write| {
        write.prefetch([&arrival, &arrival], &ingestion)?;
        let first = write.ingest(&arrival, &ingestion)?;
        // The prefetched answer was that there are none.
        let second = write.ingest(&arrival, &ingestion)?;
        write.prefetch([&arrival], &ingestion)?;
        write.delete_user(team, user_id)?;
        let gone = write.attempt(|write| write.ingest(&arrival, &ingestion)).is_err();
        write.put_user(team, &user(team, USER, AT))?;
        // The user has no connection.
        write.prefetch([&arrival], &ingestion)?;
        write.put_connection(team, user_id, &connection("stridewell", AT))?;
        let third = write.ingest(&arrival, &ingestion)?;
        Ok((first, second, gone, third))
    }));
    let expected = (Ingested::Taken, Ingested::Duplicate, true, Ingested::Taken);
    assert_eq!(outcomes.expect("writes"), expected);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_summary_that_an_earlier_arrival_has_made_keeps_when_it_was_created() {
    let schema = Schema::new();
    let store = schema.store();
    populated(&store);
    let of = |values: serde_json::Value| {
        arrival(
            "data",
            json!({"resource": "activity", "date": "2026-05-02", "data": values}),
        )
    };
    let part = |start: &str, end: &str, steps: u64| {
        let [start, end] = [start, end].map(|hour| format!("2026-05-02T{hour}:00:00Z"));
        json!({"start": start, "end": end, "steps": steps})
    };
    let first = of(json!([part("00", "08", 1)]));
    // The second part gets the id that the third arrival prefetches before it exists.
    let second = of(json!([part("10", "12", 2)]));
    let third = of(json!([part("00", "08", 1), part("10", "12", 3)]));
    let taken = wait(store.write(|write| {
        let at = |day: u32| {
            let mut ingestion = ingestion(NO_FORMS);
            ingestion.now = format!("2026-06-{day:02}T00:00:00Z").parse().expect("a time");
            ingestion
        };
        write.ingest(&first, &at(1))?;
        write.prefetch([&second, &third], &at(2))?;
        Ok([write.ingest(&second, &at(2))?, write.ingest(&third, &at(3))?])
    }));
    assert_eq!(taken.expect("writes"), [Ingested::Taken; 2]);
    let days = "2026-01-01".parse().expect("a day")..="2026-12-31".parse().expect("a day");
    let team = wait(store.write(|write| write.team(Uuid::from_u128(1))))
        .expect("reads")
        .expect("the team");
    let found = store.team(team);
    let found = wait(found.summaries::<serde_json::Value>(Uuid::from_u128(USER), &"activity".into(), days, None));
    let found = crate::world::all(&found.expect("reads").expect("the user"));
    let created: Vec<_> = found
        .iter()
        .map(|value| (&value["steps"], &value["created_at"]))
        .collect();
    assert_eq!(
        created,
        [
            (&json!(1), &json!("2026-06-01T00:00:00Z")),
            (&json!(3), &json!("2026-06-02T00:00:00Z"))
        ]
    );
}
