//! Tests of `wearlab import`.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::fixture::{Fixture, TEAM, WORLD, error};

fn user(number: u32) -> String {
    let line = WORLD.lines().find(|line| line.contains("\"user\"")).expect("a user");
    let id = format!("{number:012}");
    line.replace("000000000007", &id)
        .replace("client-7", &format!("client-{number}"))
}

#[test]
fn good_lines_are_kept_and_bad_ones_reported_with_their_position() {
    let fixture = Fixture::with_world();
    let bad = [
        user(8).replace("Europe/Oslo", "Mars/Olympus"),
        user(9).replace("\"created_on\": \"2026-01-02", "\"created_on\": \"2026-02-30"),
        user(10).replace("client-10", "client-7"),
        user(11).replace("client-11", "ola@example.com"),
        user(12).replace("client-12", "+47 987 65 432"),
        user(13).replace(
            "\"connected_sources\"",
            "\"ingestion_strat\": \"2026-01-01\", \"connected_sources\"",
        ),
        user(14).replace(
            "\"team_id\": \"00000000-0000-0000-0000-000000000001\"",
            "\"team_id\": \"00000000-0000-0000-0000-000000000009\"",
        ),
        "{\"user\": ".to_owned(),
    ];
    let lines = format!("{}\n{}\n\n{}\n", bad.join("\n"), user(20), user(21));
    let output = fixture.import(&lines, &[]);
    assert!(!output.status.success());
    let message = error(&output);
    for expected in [
        "stdin:1: user.fallback_time_zone.id: no such time zone: use a name of the IANA database, such as Europe/Oslo",
        "stdin:2: user.created_on: there is no such date or time",
        "stdin:3: user: another user of the team has the same client_user_id",
        "stdin:4: user.client_user_id: looks like an e-mail address: use an id that does not identify the person",
        "stdin:5: user.client_user_id: looks like a phone number: use an id that does not identify the person",
        "stdin:6: user: unknown field at column 201; did you mean `ingestion_start`?",
        "stdin:7: user: there is no such team",
        "stdin:8: not JSON from column 8 on",
        "8 lines were rejected",
    ] {
        assert!(message.contains(expected), "no {expected:?} in\n{message}");
    }
    for value in ["Mars", "ola@", "987", "client-7"] {
        assert!(!message.contains(value), "{value} is shown:\n{message}");
    }
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "2 lines were accepted: user 2\n"
    );
    assert_eq!(fixture.export().matches("{\"user\":").count(), 3);
}

#[test]
fn a_bad_line_among_good_ones_takes_back_itself_alone() {
    let fixture = Fixture::with_world();
    // Each invalid line conflicts with the store, or with a line before it.
    let taken = user(9).replace("client-9", "client-8");
    let elsewhere = user(11).replace(TEAM, "00000000-0000-0000-0000-000000000009");
    let lines = [user(8), taken, user(10), elsewhere, user(12)];
    let output = fixture.import(&(lines.join("\n") + "\n"), &[]);
    let message = error(&output);
    for expected in [
        "stdin:2: user: another user of the team has the same client_user_id",
        "stdin:4: user: there is no such team",
        "2 lines were rejected",
    ] {
        assert_eq!(message.matches(expected).count(), 1, "{expected:?} in\n{message}");
    }
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "3 lines were accepted: user 3\n"
    );
    let export = fixture.export();
    let clients = ["client-7", "client-8", "client-10", "client-12"];
    assert_eq!(export.matches("{\"user\":").count(), clients.len());
    for client in clients {
        assert!(export.contains(&format!("\"{client}\"")), "no {client}");
    }
}

#[test]
fn with_strict_one_bad_line_keeps_all_out() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    let lines: String = (8..9000).map(|number| user(number) + "\n").collect();
    let output = fixture.import(&format!("{lines}{{\"planet\": {{}}}}\n"), &["--strict"]);
    assert!(!output.status.success());
    let message = error(&output);
    assert!(
        message.contains("stdin:8993: unknown kind; expected one of organisation, team"),
        "{message}"
    );
    assert!(
        message.contains("1 line was rejected, so nothing was imported"),
        "{message}"
    );
    assert_eq!(fixture.export(), before);
    let output = fixture.import(&lines, &["--strict"]);
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(fixture.export().matches("{\"user\":").count(), 8993);
}

#[test]
fn the_same_lines_twice_change_nothing() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    assert!(fixture.import(WORLD, &[]).status.success());
    assert_eq!(fixture.export(), before);
    assert!(
        before.contains("\"connected_sources\":[{"),
        "they follow from the connection: {before}"
    );
}

#[test]
fn a_directory_is_taken_file_by_file() {
    let fixture = Fixture::new();
    let lines: Vec<_> = WORLD.trim().lines().collect();
    fixture.file("1-owners.ndjson", &format!("\u{feff}{}", lines[..2].join("\r\n")));
    fixture.file("2-rest.jsonl", &lines[2..].join("\n"));
    fixture.file("notes.txt", "nothing");
    let directory = fixture.directory.path().display().to_string();
    fixture.says(&["import", &directory]);
    assert_eq!(fixture.export(), Fixture::with_world().export());
    fixture.file("3-bad.ndjson", "\n{}\n");
    let message = error(&fixture.run(&["import", &directory]));
    assert!(
        message.contains("3-bad.ndjson:2: not an object with one member"),
        "{message}"
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let fixture = Fixture::new();
    let nowhere = fixture.run(&["import", "nowhere.ndjson"]);
    assert!(!nowhere.status.success());
    assert!(
        error(&nowhere).contains("cannot read nowhere.ndjson"),
        "{}",
        error(&nowhere)
    );
    let empty = tempfile::tempdir().expect("a directory");
    let message = error(&fixture.run(&["import", &empty.path().display().to_string()]));
    assert!(message.contains("there is no *.ndjson or *.jsonl file"), "{message}");
}

#[test]
fn a_line_of_any_length_does_no_harm() {
    let fixture = Fixture::new();
    let long = "x".repeat(33 * 1024 * 1024);
    let output = fixture.import(
        &format!("{long}\n{{\"organisation\": {{\"org_id\": \"after\"}}}}\n"),
        &[],
    );
    let message = error(&output);
    assert!(message.contains("stdin:1: the line is longer than 32 MiB"), "{message}");
    assert_eq!(fixture.export(), "{\"organisation\":{\"org_id\":\"after\"}}\n");
}

/// Kills an import at random. The store is valid and has a beginning of the lines; importing again adds the rest.
#[cfg(unix)]
#[test]
fn a_killed_import_is_made_good_by_another() {
    let lines: String = WORLD.to_owned() + &(8..6000).map(|number| user(number) + "\n").collect::<String>();
    let whole = Fixture::new();
    assert!(whole.import(&lines, &[]).status.success());
    let fixture = Fixture::new();
    let file = fixture.file("lines.ndjson", &lines);
    let mut interrupted = 0;
    for round in 0..6 {
        let mut child = fixture
            .command(&["import", &file])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        thread::sleep(Duration::from_millis(30 + 90 * round));
        interrupted += u32::from(child.try_wait().expect("asks").is_none());
        child.kill().expect("kills");
        child.wait().expect("ends");
        if fixture.data().join("wearlab.db").exists() {
            let kept = fixture.export();
            let users: Vec<_> = kept.lines().filter(|line| line.starts_with("{\"user\":")).collect();
            let last = users.len() as u32 + 6;
            assert!(users.is_empty() || users.iter().any(|user| user.contains(&format!("\"client-{last}\""))));
        }
    }
    assert!(interrupted > 0, "none was killed in time");
    assert!(fixture.import(&lines, &[]).status.success());
    assert_eq!(fixture.export(), whole.export());
}

#[test]
fn a_masked_pipeline_keeps_its_secrets() {
    let fixture = Fixture::with_world();
    let shown = fixture.says(&["export"]);
    assert!(shown.contains("amqp://me:****@127.0.0.1:1/") && !shown.contains("hushhush"));
    assert!(!shown.contains("{\"key\":"), "{shown}");
    let before = fixture.export();
    assert!(before.contains("hushhush"));
    let changed = shown.replace("\"exchange\":\"events\"", "\"exchange\":\"others\"");
    assert!(fixture.import(&changed, &[]).status.success());
    assert_eq!(
        fixture.export(),
        before.replace("\"exchange\":\"events\"", "\"exchange\":\"others\"")
    );
}

#[test]
fn a_mask_never_replaces_a_secret() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    let moved = fixture
        .says(&["export"])
        .replace("****@127.0.0.1:1/", "****@127.0.0.1:2/");
    let output = fixture.import(&moved, &[]);
    assert!(
        error(&output).contains("pipeline.rabbitmq.uri: has a masked secret"),
        "{output:?}"
    );
    assert_eq!(fixture.export(), before);
}

/// Rejected lines are reported by their field, and leave the stored pipeline.
#[test]
fn a_pipeline_that_makes_no_sense_is_refused() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    let pipeline = WORLD
        .lines()
        .find(|line| line.contains("\"pipeline\""))
        .expect("a pipeline");
    let matchers = |matcher: &str| {
        format!(
            "\"azure_amqp\": {{\"connection_string\": \"Endpoint=sb://h.example/;SharedAccessKeyName=n;\
             SharedAccessKey=hushhush\", \"default_event_hub\": \"all\", \"event_hub_matchers\": [{matcher}], \
             \"compression\": \"auto\"}}, \"rabbitmq\": {{"
        )
    };
    let azure = |matcher: &str| {
        let both = pipeline.replace("[\"rabbitmq\"]", "[\"rabbitmq\", \"azure_amqp\"]");
        both.replace("\"rabbitmq\": {", &matchers(matcher))
    };
    let bad = [
        pipeline.replace("\"preferred\": \"rabbitmq\"", "\"preferred\": \"svix\""),
        pipeline.replace("[\"rabbitmq\"]", "[\"rabbitmq\", \"svix\"]"),
        pipeline.replace("[\"rabbitmq\"]", "[\"rabbitmq\", \"hushhush\"]"),
        pipeline.replace("amqp://me:hushhush@", "mq://me:hushhush@"),
        azure(r#"{"event_type_regex": "(hushhush", "event_hub": "h"}"#),
        azure(r#"{"event_type_prefix": "daily."}"#),
        pipeline.replace("\"event_type_prefixes\": []", "\"event_type_prefixes\": [\"\"]"),
    ];
    let output = fixture.import(&bad.join("\n"), &[]);
    assert!(!output.status.success());
    let message = error(&output);
    for expected in [
        "stdin:1: pipeline.preferences.preferred: is not in preferences.enabled",
        "stdin:2: pipeline.svix: is missing, but preferences.enabled names it",
        "stdin:3: pipeline.preferences.enabled[1]: unknown kind of delivery; supported are cloud_pubsub, rabbitmq",
        "stdin:4: pipeline.rabbitmq.uri: is not an AMQP URI such as amqps://",
        "stdin:5: pipeline.azure_amqp.event_hub_matchers[0].event_type_regex: is not a regular expression: unclosed group",
        "stdin:6: pipeline.azure_amqp.event_hub_matchers[0]: has no target",
        "stdin:7: pipeline.event_type_prefixes[0]: is empty",
        "7 lines were rejected",
    ] {
        assert!(message.contains(expected), "no {expected:?} in\n{message}");
    }
    assert!(!message.contains("hushhush"), "{message}");
    assert_eq!(fixture.export(), before);
}
