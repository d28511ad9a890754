//! A disk that is full: what was written before stays, what did not fit is named, and nothing is half there.
//!
//! A process of its own stands in for the disk: the system lets it write no file beyond a size.

use std::path::Path;
use std::process::Command;

use wearlab_store::{Store, StoreError};

use crate::world::{World, exported, put_team, user};

/// Where the process that may not write finds its store.
const FOLDER: &str = "WEARLAB_TEST_FULL_DISK";
const AT: &str = "2024-01-01T00:00:00Z";

fn text(error: &StoreError) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    format!("{error}: {}", cause.unwrap_or_default())
}

#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let world = World::new().await;
    world
        .write(|write| write.put_user(world.team, &user(world.team, 1, AT)))
        .await;
    let World {
        folder, store, team, ..
    } = world;
    let before = exported(&store).await;
    drop(store);
    let size = std::fs::metadata(folder.path().join("wearlab.db"))
        .expect("is there")
        .len();
    // In blocks of 512 bytes: room for a small log, and no more.
    let blocks = (size / 512 + 200).to_string();
    // The shell ignores the signal that comes with the limit, and hands that on.
    let script = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
    let output = Command::new("/bin/sh")
        .args(["-c", script, "sh", &blocks])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", "--ignored", "--nocapture", "full::within_a_full_disk"])
        .env(FOLDER, folder.path())
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("1 passed"), "{said}");

    // With room again, all is as the process left it: one small write came through.
    let store = Store::open(folder.path()).expect("opens");
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
    let folder = std::env::var_os(FOLDER).expect("a folder");
    let folder = Path::new(&folder);
    let store = Store::open(folder).expect("opens");
    let before = exported(&store).await;
    store
        .write(|write| write.put_meta("small", "fits"))
        .await
        .expect("writes");

    // Until it no longer fits, in parts of which each caller may think that it alone failed.
    let mut failed = Vec::new();
    let large = store.write(|write| {
        let organisation = write.put_organisation("org_ours")?;
        let team = put_team(write, 1, &organisation)?;
        for number in 100..20_000 {
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
    let said = failed.iter().map(text).collect::<Vec<_>>();
    assert!(said[0].contains("disk"), "{said:?}");
    assert!(said[1].contains("earlier failure"), "{said:?}");
    assert!(text(&error).contains("earlier failure"), "{error:?}");

    assert_eq!(exported(&store).await, before, "all of it was taken back");
    let copy = store.backup(&folder.join("copy.db")).await;
    assert!(copy.is_ok() || !folder.join("copy.db").exists(), "no half copy stays");
    assert!(store.team_of_key("none").await.expect("reads").is_none());
}
