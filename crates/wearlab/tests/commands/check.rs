//! Tests of `wearlab check`, and of messages of other commands on a damaged store.

use std::fs;

use crate::fixture::{Fixture, USER, error};

#[test]
fn a_sound_store_is_whole() {
    let fixture = Fixture::with_world();
    let message = fixture.says(&["check"]);
    assert!(message.starts_with("read "), "{message}");
    let message = fixture.says(&["check", "--json"]);
    let message: serde_json::Value = serde_json::from_str(&message).expect("a line of JSON");
    assert_eq!(message["damaged"], 0);
    assert!(message["rows"].as_u64().is_some_and(|rows| rows >= 7), "{message}");
    let none = Fixture::new().run(&["check"]);
    assert!(!none.status.success() && error(&none).contains("there is no store"));
}

/// Flips one bit of a value, which the engine itself does not detect.
#[test]
fn a_bit_that_flipped_is_named_and_nothing_of_it_is_copied() {
    let fixture = Fixture::with_world();
    let copy = fixture.directory.path().join("copy.db");
    let to = copy.display().to_string();
    fixture.says(&["backup", &to]);
    for (path, text) in [
        (fixture.data().join("wearlab.db"), &b"resource_availability"[..]),
        (copy.clone(), b"Europe/Oslo"),
    ] {
        let mut bytes = fs::read(&path).expect("reads");
        let at = bytes
            .windows(text.len())
            .position(|window| window == text)
            .expect("is there");
        bytes[at] ^= 4;
        fs::write(&path, bytes).expect("writes");
    }
    let other = Fixture::new();
    let restored = other.run(&["restore", &to]);
    assert!(
        !restored.status.success() && error(&restored).contains("damaged"),
        "{}",
        error(&restored)
    );
    assert!(!other.data().join("wearlab.db").exists());

    fs::remove_file(&copy).expect("removes");
    let checked = fixture.run(&["check"]);
    assert_eq!(checked.status.code(), Some(1));
    let message = String::from_utf8(checked.stdout.clone()).expect("text");
    assert!(
        message.contains("table connections: page ") && message.contains(" is not what was written"),
        "{message}"
    );
    assert!(
        error(&checked).contains("the store is damaged ("),
        "{}",
        error(&checked)
    );
    for value in [USER, "stridewell", "client-7"] {
        assert!(
            !message.contains(value) && !error(&checked).contains(value),
            "{message}"
        );
    }
    for arguments in [&["export"][..], &["backup", &to]] {
        let output = fixture.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(error(&output).contains("the file is damaged"), "{}", error(&output));
    }
    let left: Vec<_> = fs::read_dir(fixture.directory.path()).expect("reads").collect();
    assert_eq!(left.len(), 1, "no copy and no part of one: {left:?}");
}
