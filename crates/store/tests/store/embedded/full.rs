//! A full disk: earlier writes stay, the refused write is named, and no write is partial.
//!
//! A separate process simulates the disk: a resource limit caps the size of its files.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;
use wearlab_store::{Arrival, EmbeddedSettings, Ingested, Ingestion, Store, StoreError, ValidArrival};

use crate::arriving::{self, NO_FORMS, chunk, day, ingestion, log, try_ingest};
use crate::world::{World, exported, put_team, user};

/// Environment variable with the store's directory for the limited process.
const DIRECTORY: &str = "WEARLAB_TEST_FULL_DISK";
const AT: &str = "2024-01-01T00:00:00Z";

fn text(error: &StoreError) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    format!("{error}: {}", cause.unwrap_or_default())
}

/// Runs a test in a separate process whose files are at most this many blocks of 512 bytes longer than the store's.
#[cfg(unix)]
fn within(directory: &Path, blocks: u64, test: &str) {
    let size = std::fs::metadata(directory.join("wearlab.db")).expect("is there").len();
    // The shell ignores the signal of the limit, and passes that on.
    let script = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
    let output = Command::new("/bin/sh")
        .args(["-c", script, "sh", &(size / 512 + blocks).to_string()])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", "--ignored", "--nocapture", test])
        .env(DIRECTORY, directory)
        .output()
        .expect("a process");
    let message = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}{error}");
    assert!(message.contains("1 passed"), "{message}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let world = World::new().await;
    world
        .write(|write| write.put_user(world.team, &user(world.team, 1, AT)))
        .await;
    let World {
        directory, store, team, ..
    } = world;
    let before = exported(&store).await;
    drop(store);
    // Room for a small log only.
    within(directory.path(), 200, "embedded::full::within_a_full_disk");

    // With room again, the store is as the process left it: one small write succeeded.
    let store = Store::open(directory.path()).expect("opens");
    assert_eq!(store.meta("small").await.expect("reads").as_deref(), Some("fits"));
    assert_eq!(exported(&store).await, before);
    store
        .write(|write| write.put_user(team, &user(team, 2, AT)))
        .await
        .expect("writes");
    assert_eq!(store.team(team).users(0, 10).await.expect("reads").total, 2);
}

#[tokio::test]
#[ignore = "only in the process that a_full_disk_loses_nothing starts"]
async fn within_a_full_disk() {
    let directory = std::env::var_os(DIRECTORY).expect("a directory");
    let directory = Path::new(&directory);
    // A small cache, so that pages are written to the disk during the transaction.
    let settings = EmbeddedSettings {
        page_cache_bytes: 4 << 20,
    };
    let store = Store::open_with(directory, &settings, &[]).expect("opens");
    let before = exported(&store).await;
    store
        .write(|write| write.put_meta("small", "fits"))
        .await
        .expect("writes");

    // Writes until the disk is full. Each part may seem to have failed alone.
    let mut failed = Vec::new();
    let large = store.write(|write| {
        let organisation = write.put_organisation("org_ours")?;
        let team = put_team(write, 1, &organisation)?;
        for number in 100..40_000 {
            if let Err(error) = write.attempt(|write| write.put_user(team, &user(team, number, AT))) {
                failed.push(error);
            }
            if failed.len() > 2 {
                break;
            }
        }
        Ok(())
    });
    let error = large.await.expect_err("it does not fit");
    assert!(failed.len() > 2, "it fails on the way, and not at the end alone");
    let message = failed.iter().map(text).collect::<Vec<_>>();
    assert!(message[0].contains("disk"), "{message:?}");
    assert!(message[1].contains("rolled back by an earlier error"), "{message:?}");
    assert!(text(&error).contains("rolled back by an earlier error"), "{error:?}");

    assert_eq!(exported(&store).await, before, "all of it was rolled back");
    let copy = store.backup(&directory.join("copy.db")).await;
    assert!(
        copy.is_ok() || !directory.join("copy.db").exists(),
        "no half copy stays"
    );
    assert!(store.team_of_key("none").await.expect("reads").is_none());
}

/// Returns a day for each number, long enough to fill a disk, and some chunks of a pull.
fn arrivals() -> impl Iterator<Item = ValidArrival> {
    let first = chrono::NaiveDate::from_ymd_opt(2020, 1, 1).expect("a day");
    (0..2_000).flat_map(move |number| {
        let date = first + chrono::Days::new(number);
        let chunks = (number % 4 == 0).then(|| {
            let (pull, number) = (number / 12, number / 4 % 3 + 1);
            chunk(
                &format!("pull-{pull}"),
                u32::try_from(number).expect("is small"),
                3,
                pull,
            )
        });
        std::iter::once(day(&date.to_string(), number)).chain(chunks)
    })
}

#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_separates_no_event_from_its_arrival() {
    let World { directory, store, .. } = arriving::world().await;
    drop(store);
    within(directory.path(), 4_000, "embedded::full::arrivals_within_a_full_disk");
    let taken: usize = (std::fs::read_to_string(directory.path().join("taken")).expect("is there"))
        .parse()
        .expect("a number");
    assert!(taken > 50, "{taken}");

    let store = Store::open(directory.path()).expect("opens");
    let raw = wearlab_checksum_vfs::open(directory.path().join("wearlab.db"), rusqlite::OpenFlags::default())
        .expect("a database");
    let count = |what: &str| -> usize {
        let sql = format!("SELECT count(*) FROM {what}");
        let count: i64 = raw.query_row(&sql, [], |row| row.get(0)).expect("counts");
        usize::try_from(count).expect("a count")
    };
    // The store has exactly the stored arrivals: days by their rows, pulls by their notes.
    let whole = count("pulls WHERE arrived = chunks");
    let days = arrivals().take(taken).filter(|arrival| !is_chunk(arrival)).count();
    assert_eq!(log(&store).await.len(), days + whole);
    assert_eq!(count("days WHERE hash <> x''"), days);
    assert_eq!(
        count("pull_chunks WHERE data IS NOT NULL"),
        taken - days - 3 * whole,
        "of the pull that waits"
    );

    // With room again, all arrivals are sent again.
    let ingestion = ingestion(NO_FORMS);
    for (number, arrival) in arrivals().enumerate() {
        let outcome = try_ingest(&store, &arrival, &ingestion).await.expect("is taken");
        let expected = if number < taken {
            Ingested::Duplicate
        } else {
            Ingested::Taken
        };
        assert_eq!(outcome, expected, "{number} of {taken}");
        if number > taken + 100 {
            break;
        }
    }
}

fn is_chunk(arrival: &ValidArrival) -> bool {
    matches!(&**arrival, Arrival::Data(data) if data.pull.is_some())
}

#[tokio::test]
#[ignore = "only in the process that a_full_disk_separates_no_event_from_its_arrival starts"]
async fn arrivals_within_a_full_disk() {
    let directory = std::env::var_os(DIRECTORY).expect("a directory");
    let directory = Path::new(&directory);
    let store = Store::open(directory).expect("opens");
    /// Returns an id that the other process does not use.
    fn fresh() -> Uuid {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        Uuid::from_u128((1 << 100) + u128::from(COUNT.fetch_add(1, Ordering::Relaxed)))
    }
    let ingestion = Ingestion {
        fresh_id: fresh,
        ..ingestion(NO_FORMS)
    };
    let mut taken = 0;
    let error = loop {
        let arrival = arrivals().nth(taken).expect("it does not fit");
        match try_ingest(&store, &arrival, &ingestion).await {
            Ok(_) => taken += 1,
            Err(error) => break error,
        }
    };
    assert!(text(&error).contains("disk"), "{error:?}");
    // A retry also fails, and does no harm.
    let arrival = arrivals().nth(taken).expect("is there");
    try_ingest(&store, &arrival, &ingestion)
        .await
        .expect_err("it does not fit");
    assert!(!log(&store).await.is_empty(), "what is there can be read");
    std::fs::write(directory.join("taken"), taken.to_string()).expect("writes");
}
