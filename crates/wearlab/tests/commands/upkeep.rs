//! Tests of `wearlab user delete`, `wearlab backup` and `wearlab restore`.

use std::fs;

use crate::fixture::{Fixture, TEAM, USER, error};

#[test]
fn a_deleted_user_is_gone_with_all_that_hangs_on_them() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    assert!(before.contains(USER));
    let message = fixture.says(&["user", "delete", "--team", TEAM, USER]);
    assert_eq!(message, format!("deleted user {USER} with all their data\n"));
    let after = fixture.export();
    assert!(!after.contains(USER) && !after.contains("client-7"), "{after}");
    assert!(after.contains(TEAM) && after.contains("hushhush"), "{after}");
    let again = fixture.run(&["user", "delete", "--team", TEAM, USER]);
    assert!(!again.status.success() && error(&again).contains("the team has no such user"));
    for entry in fs::read_dir(fixture.data()).expect("reads") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("reads");
        let id: [u8; 16] = 7u128.to_be_bytes();
        // The receipt in the audit log has their id as text.
        for trace in [&id[..], b"client-7", b"The stridewell"] {
            assert!(
                !bytes.windows(trace.len()).any(|part| part == trace),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn a_copy_is_put_back_as_it_was() {
    let fixture = Fixture::with_world();
    let copy = fixture.directory.path().join("copy.db").display().to_string();
    let message = fixture.says(&["backup", &copy]);
    assert!(message.starts_with("wrote ") && message.contains(&copy), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    let again = fixture.run(&["backup", &copy]);
    assert!(
        !again.status.success() && error(&again).contains("there is a file already"),
        "{}",
        error(&again)
    );
    let other = Fixture::new();
    let message = other.says(&["restore", &copy]);
    assert!(message.contains(&other.data().display().to_string()), "{message}");
    assert_eq!(other.export(), fixture.export());
    let twice = other.run(&["restore", &copy]);
    assert!(
        !twice.status.success() && error(&twice).contains("there is a store already"),
        "{}",
        error(&twice)
    );
    let mut bytes = fs::read(&copy).expect("reads");
    bytes.truncate(bytes.len() / 2);
    fs::write(&copy, bytes).expect("writes");
    let damaged = Fixture::new();
    let output = damaged.run(&["restore", &copy]);
    assert!(
        !output.status.success() && error(&output).contains("damaged"),
        "{}",
        error(&output)
    );
    assert!(!damaged.data().join("wearlab.db").exists());
}
