//! Available resources beside users, after an upgrade from a version without them.

use rusqlite::OpenFlags;
use wearlab_store::Ingested::Taken;

use crate::arriving::{day, ingest, world};

#[tokio::test]
async fn they_are_noted_with_the_first_data_that_come() {
    let world = world().await;
    assert_eq!(ingest(&world, &[day("2026-05-01", 1)]).await, [Taken]);
    let raw = wearlab_checksum_vfs::open(world.directory.path().join("wearlab.db"), OpenFlags::default())
        .expect("a database");
    let noted = || -> Option<String> {
        let sql = "SELECT available FROM users";
        raw.query_row(sql, [], |row| row.get(0)).expect("the user")
    };
    let all = Some(r#"{"pulsely":[],"stridewell":["steps"]}"#);
    assert_eq!(noted().as_deref(), all);
    raw.execute_batch("UPDATE users SET available = NULL")
        .expect("as it was");
    assert_eq!(ingest(&world, &[day("2026-05-01", 2)]).await, [Taken]);
    assert_eq!(noted().as_deref(), all);
    assert_eq!(ingest(&world, &[day("2026-05-01", 3)]).await, [Taken]);
    assert_eq!(noted().as_deref(), all);
}
