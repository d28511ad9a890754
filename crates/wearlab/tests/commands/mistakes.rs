//! What operators are told of their mistakes: one line, and no harm done.

use std::process::Stdio;

use crate::place::{Place, TEAM, USER, error};

#[test]
fn what_asks_for_a_store_makes_none() {
    let place = Place::new();
    let copy = place.folder.path().join("copy.db").display().to_string();
    for arguments in [
        &["export"][..],
        &["backup", &copy],
        &["keys", "list"],
        &["keys", "create", "--team", TEAM],
        &["keys", "revoke", "0123456789abcdef"],
        &["link-token", "create", "--team", TEAM],
        &["user", "delete", "--team", TEAM, USER],
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = error(&output);
        assert!(
            said.starts_with("wearlab: there is no store in "),
            "{arguments:?}: {said}"
        );
        assert!(
            said.contains(&place.data().display().to_string()) && said.contains("--data"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!place.data().exists(), "{arguments:?}");
    }
    assert!(!place.folder.path().join("copy.db").exists());
}

#[test]
fn what_is_missing_or_misspelled_is_named_in_one_line() {
    let place = Place::new();
    for (arguments, said) in [
        (&["keys", "revoke"][..], "<ID>"),
        (&["backup"], "<FILE>"),
        (&["user", "delete", USER], "--team <UUID>"),
        (&["keys", "create"], "<--team <UUID>|--org <ID>>"),
        (
            &["user", "delete", "--team", "team", USER],
            "'team' for '--team <UUID>'",
        ),
        (&["export", "--with-secret"], "--with-secret"),
        (&["serve", "--set", "http.listen"], "SETTING=VALUE"),
        (&["serve", "--set", "http..listen=1"], "http..listen=1"),
        (&["serve", "--set", "=1"], "SETTING=VALUE"),
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = error(&output);
        assert!(
            text.contains(said) && text.ends_with("; see --help\n"),
            "{arguments:?}: {text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let place = Place::new();
    for arguments in [&["schema", "import"][..], &["config"], &["seed", "--users", "5000"]] {
        let mut command = match arguments {
            ["seed", ..] => place.command(arguments),
            // They need no data.
            _ => {
                let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
                command.args(arguments);
                command
            }
        };
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{arguments:?}: {}", error(&output));
        assert_eq!(error(&output), "", "{arguments:?}");
    }
}

#[test]
fn what_changes_the_store_fails_where_nobody_takes_what_it_says() {
    let place = Place::with_world();
    let bad = place.file("bad", "{\"S3cret\": 1}\n");
    for arguments in [
        &["import", &bad][..],
        &["ingest", &bad],
        &["keys", "create", "--team", TEAM],
        &["link-token", "create", "--team", TEAM],
    ] {
        let child = place
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            error(&output).contains("cannot write the output"),
            "{arguments:?}: {}",
            error(&output)
        );
    }
}
