//! Tests of messages for operator mistakes: one line, and no side effects.

use crate::closed_output::with_closed_output;
use crate::fixture::{Fixture, TEAM, USER, error};

#[test]
fn what_asks_for_a_store_makes_none() {
    let fixture = Fixture::new();
    let copy = fixture.directory.path().join("copy.db").display().to_string();
    for arguments in [
        &["export"][..],
        &["backup", &copy],
        &["keys", "list"],
        &["keys", "create", "--team", TEAM],
        &["keys", "revoke", "0123456789abcdef"],
        &["link-token", "create", "--team", TEAM],
        &["user", "delete", "--team", TEAM, USER],
    ] {
        let output = fixture.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let message = error(&output);
        assert!(
            message.starts_with("wearlab: there is no store in "),
            "{arguments:?}: {message}"
        );
        assert!(
            message.contains(&fixture.data().display().to_string()) && message.contains("--data"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!fixture.data().exists(), "{arguments:?}");
    }
    assert!(!fixture.directory.path().join("copy.db").exists());
}

#[test]
fn what_is_missing_or_misspelled_is_named_in_one_line() {
    let fixture = Fixture::new();
    for (arguments, message) in [
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
        (&["serve", "--set", "http..listen=1"], "SETTING=VALUE"),
        (&["serve", "--set", "=hush4711"], "SETTING=VALUE"),
        (&["serve", "--set", "hush4711"], "SETTING=VALUE"),
        (&["keys", "list", "--set=postgres://u:hush4711@h/db"], "SETTING=VALUE"),
    ] {
        let output = fixture.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = error(&output);
        assert!(
            text.contains(message) && text.ends_with("; see --help\n"),
            "{arguments:?}: {text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains("hush4711"), "{text}");
    }
}

#[test]
fn names_that_cannot_be_read_are_refused() {
    let fixture = Fixture::with_world();
    for name in [
        "a\nb",
        "\u{202e}gnp.yek",
        "a\u{2066}b",
        "a\u{2028}b",
        "\u{200b}",
        "\u{feff}a",
    ] {
        let output = fixture.run(&["keys", "create", "--team", TEAM, "--name", name]);
        assert!(!output.status.success(), "{name:?}");
        assert!(error(&output).contains("--name must not have"), "{}", error(&output));
        let json = serde_json::to_string(name).expect("JSON");
        let line =
            format!("{{\"key\": {{\"team_id\": \"{TEAM}\", \"name\": {json}, \"key\": \"wl_team_0123456789\"}}}}\n");
        let output = fixture.import(&line, &[]);
        assert!(
            !output.status.success() && error(&output).contains("key.name"),
            "{}",
            error(&output)
        );
        let url = "https://example.com/";
        let output = fixture.run(&["webhooks", "add", url, "--team", TEAM, "--event-type", name]);
        assert!(
            error(&output).contains("--event-type must not have"),
            "{}",
            error(&output)
        );
    }
    let output = fixture.run(&[
        "webhooks",
        "add",
        "https://example.com/",
        "--team",
        TEAM,
        "--event-type",
        "",
    ]);
    assert!(!output.status.success());
    assert!(
        error(&output).contains("--event-type must not be empty"),
        "{}",
        error(&output)
    );
    assert_eq!(fixture.says(&["webhooks", "list"]).lines().count(), 1, "none is added");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let fixture = Fixture::new();
    for arguments in [&["schema", "import"][..], &["config"], &["seed", "--users", "5000"]] {
        let mut command = match arguments {
            ["seed", ..] => fixture.command(arguments),
            // The others need no data.
            _ => {
                let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
                command.args(arguments);
                command
            }
        };
        let output = with_closed_output(&mut command);
        assert!(output.status.success(), "{arguments:?}: {}", error(&output));
        assert_eq!(error(&output), "", "{arguments:?}");
    }
}

#[test]
fn what_changes_the_store_fails_where_nobody_takes_what_it_says() {
    let fixture = Fixture::with_world();
    let bad = fixture.file("bad", "{\"S3cret\": 1}\n");
    for arguments in [
        &["import", &bad][..],
        &["ingest", &bad],
        &["keys", "create", "--team", TEAM],
        &["link-token", "create", "--team", TEAM],
    ] {
        let output = with_closed_output(&mut fixture.command(arguments));
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            error(&output).contains("cannot write the output"),
            "{arguments:?}: {}",
            error(&output)
        );
    }
}

/// Name of a file with terminal control characters.
#[cfg(unix)]
#[test]
fn control_characters_of_file_names_are_escaped() {
    let fixture = Fixture::new();
    let name = "\u{1b}[31m\u{9b}1m\u{202e}a\nwearlab: all is well\u{7}.ndjson";
    let shown = "\\u001b[31m\\u009b1m\\u202ea\\u000awearlab: all is well\\u0007.ndjson";
    let file = fixture.file(name, "{}\n");
    let directory = fixture.directory.path().display().to_string();
    for arguments in [
        &["import", &file][..],
        &["import", &directory],
        &["ingest", &file],
        &["import", &format!("{file}.none")],
        &["export", "--output", &file],
    ] {
        let output = fixture.run(arguments);
        let mut text = error(&output);
        text += &String::from_utf8_lossy(&output.stdout);
        assert!(
            !text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']),
            "{arguments:?}: {text:?}"
        );
        assert!(text.contains(shown), "{arguments:?}: {text:?}");
        assert!(!text.contains("\nwearlab: all is well"), "{arguments:?}: {text:?}");
    }
}
