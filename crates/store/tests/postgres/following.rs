//! A reader that follows the log while several write it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use uuid::Uuid;
use wearlab_store::{EventFilter, LogFilter, LogRead, StoreError};

use crate::arriving::{AT, NO_FORMS, arrival, ingestion};
use crate::server::{Schema, wait};
use crate::world::{connection, put_team, user};

const WRITERS: u32 = 4;
const EACH: u32 = 60;

#[test]
#[ignore = "needs PostgreSQL"]
fn whoever_follows_the_log_by_numbers_misses_no_event() {
    let schema = Schema::new();
    let store = schema.store();
    let populated = wait(store.write(|write| {
        let organisation = write.put_organisation("org")?;
        let team = put_team(write, 1, &organisation)?;
        for writer in 0..WRITERS {
            write.put_user(team, &user(team, writer.into(), AT))?;
            write.put_connection(team, Uuid::from_u128(writer.into()), &connection("stridewell", AT))?;
        }
        Ok(())
    }));
    populated.expect("writes");
    let ended = AtomicBool::new(false);
    let followed = thread::scope(|scope| {
        let schema = &schema;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(schema, writer)))
            .collect();
        let reader = scope.spawn(|| {
            let (mut followed, mut filter) = (Vec::new(), EventFilter::default());
            loop {
                let last = ended.load(Ordering::Relaxed);
                let events = wait(store.events(&filter, 7)).expect("reads");
                let Some(newest) = events.last() else {
                    if last {
                        return followed;
                    }
                    continue;
                };
                filter.after = newest.number;
                followed.extend(events.into_iter().map(|event| event.number));
            }
        });
        for writer in writers {
            writer.join().expect("writes");
        }
        ended.store(true, Ordering::Relaxed);
        reader.join().expect("reads")
    });
    let log = wait(store.events(&EventFilter::default(), usize::MAX)).expect("reads");
    let log: Vec<i64> = log.iter().map(|event| event.number).collect();
    assert_eq!(log.len(), usize::try_from(WRITERS * EACH * 2).expect("fits"));
    assert_eq!(followed, log);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn consumers_of_organisations_each_see_exactly_their_log() {
    const FOLLOWERS: usize = 3;
    let schema = Schema::new();
    let store = schema.store();
    // Events of two organisations alternate.
    let organisations = wait(store.write(|write| {
        let organisations = [write.put_organisation("org")?, write.put_organisation("other")?];
        for writer in 0..WRITERS {
            let organisation = &organisations[writer as usize % 2];
            let team = put_team(write, u128::from(writer) + 1, organisation)?;
            write.put_user(team, &user(team, writer.into(), AT))?;
            write.put_connection(team, Uuid::from_u128(writer.into()), &connection("stridewell", AT))?;
        }
        Ok(organisations)
    }));
    let organisations = organisations.expect("writes");
    let ended = AtomicBool::new(false);
    let followed: Vec<_> = thread::scope(|scope| {
        let (schema, ended) = (&schema, &ended);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write_of(schema, writer.into(), writer)))
            .collect();
        let followers: Vec<_> = (0..FOLLOWERS)
            .flat_map(|follower| organisations.iter().map(move |organisation| (follower, organisation)))
            .map(|(follower, organisation)| {
                scope.spawn(move || {
                    // Each reader has its own connections, like another process.
                    let store = schema.store();
                    let (mut followed, mut filter) = (Vec::new(), LogFilter::default());
                    // One reader has a filter that matches all events.
                    filter.event_type_prefix = (follower == 2).then(|| "daily.".to_owned());
                    loop {
                        let last = ended.load(Ordering::Relaxed);
                        let read = wait(store.organisation(organisation).events(&filter, 1 + follower * 7));
                        let Ok(LogRead::Page(page)) = read else {
                            panic!("{read:?}")
                        };
                        assert!(page.last >= filter.after, "a position never goes back");
                        assert_eq!(page.complete_after, 0);
                        filter.after = page.last;
                        let none = page.events.is_empty();
                        followed.extend(page.events.into_iter().map(|event| event.number));
                        if none && last && !page.more {
                            return (organisation, followed);
                        }
                        if none {
                            thread::sleep(Duration::from_millis(2));
                        }
                    }
                })
            })
            .collect();
        let written: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        // The readers end, also if a writer failed.
        ended.store(true, Ordering::Relaxed);
        assert!(written.iter().all(Result::is_ok));
        let join = |follower: thread::ScopedJoinHandle<'_, _>| follower.join().expect("reads");
        followers.into_iter().map(join).collect()
    });
    let log = wait(store.events(&EventFilter::default(), usize::MAX)).expect("reads");
    assert_eq!(log.len(), usize::try_from(WRITERS * EACH * 2).expect("fits"));
    for (organisation, followed) in followed {
        let parity = u128::from(*organisation == organisations[1]);
        let own = log.iter().filter(|event| (event.team_id.as_u128() - 1) % 2 == parity);
        let own: Vec<i64> = own.map(|event| event.number).collect();
        assert_eq!(followed, own, "{organisation}");
    }
}

/// Writes two events in each transaction, and rolls back some others.
fn write(schema: &Schema, writer: u32) {
    write_of(schema, 0, writer);
}

/// Writes the same for a user of another team. The first team has the number 0.
fn write_of(schema: &Schema, team: u128, writer: u32) {
    let store = schema.store();
    let data = |number: u32, value: &str| {
        let day = chrono::NaiveDate::from_num_days_from_ce_opt(700_000 + number.cast_signed()).expect("a day");
        arrival(
            "data",
            json!({"team_id": Uuid::from_u128(team + 1), "user_id": Uuid::from_u128(writer.into()), "date": day, "data": [{"timestamp": format!("{day}T10:00:00Z"), "value": 1, "of": value}]}),
        )
    };
    for number in 0..EACH {
        let kept = wait(store.write(|write| {
            write.ingest(&data(number, "first"), &ingestion(NO_FORMS))?;
            thread::sleep(Duration::from_millis(u64::from((number * 7 + writer) % 5)));
            write.ingest(&data(number, "second"), &ingestion(NO_FORMS))
        }));
        kept.expect("writes");
        if number % 3 == 0 {
            let lost = wait(store.write(|write| {
                write.ingest(&data(number, "third"), &ingestion(NO_FORMS))?;
                Err::<(), _>(StoreError::Conflict { what: "is lost" })
            }));
            assert!(matches!(lost, Err(StoreError::Conflict { .. })), "{lost:?}");
        }
    }
}
