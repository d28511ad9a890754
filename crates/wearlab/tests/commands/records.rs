//! Tests of optional fields of records, and of rejected ones.

use crate::fixture::{Fixture, TEAM, WORLD, error};

fn line(kind: &str) -> String {
    let start = format!("{{\"{kind}\"");
    let line = WORLD.lines().find(|line| line.starts_with(&start));
    line.expect("a line of the kind").to_owned()
}

#[test]
fn what_follows_from_other_records_may_be_left_out() {
    let fixture = Fixture::with_world();
    let before = fixture.export();
    let user = line("user").replace("\"connected_sources\": [], ", "");
    let pipeline = line("pipeline").replace(", \"event_type_prefixes\": []", "");
    assert!(user != line("user") && pipeline != line("pipeline"));
    let output = fixture.import(&format!("{user}\n{pipeline}\n"), &["--strict"]);
    assert!(output.status.success(), "{}", error(&output));
    assert_eq!(fixture.export(), before);
    // No other field is optional.
    let output = fixture.import(&user.replace("\"client_user_id\": \"client-7\", ", ""), &[]);
    assert!(
        error(&output).contains("stdin:1: user: missing field `client_user_id`"),
        "{}",
        error(&output)
    );
    let output = fixture.import(&user.replace("\"manual\"", "7"), &[]);
    let expected = "stdin:1: user.fallback_time_zone.source_slug: expected a string";
    assert!(error(&output).contains(expected), "{}", error(&output));

    let schema = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"))
        .args(["schema", "import"])
        .output();
    let schema = serde_json::from_slice(&schema.expect("the binary runs").stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for (line, good) in [
        (&user, true),
        (&pipeline, true),
        (&user.replace("client_user_id", "x"), false),
    ] {
        assert_eq!(
            validator.is_valid(&serde_json::from_str(line).expect("JSON")),
            good,
            "{line}"
        );
    }
}

#[test]
fn years_have_four_digits() {
    let fixture = Fixture::with_world();
    let user = line("user");
    let more = |field: &str| user.replace("\"connected_sources\"", &format!("{field}, \"connected_sources\""));
    let time = "2026-01-02T03:04:05Z";
    let lines = [
        more("\"ingestion_start\": \"+12345-01-01\""),
        more("\"ingestion_end\": \"-0001-12-31\""),
        more(&format!(
            "\"fallback_birth_date\": {{\"value\": \"-0001-01-01\", \"source_slug\": \"s\", \"updated_at\": \"{time}\"}}"
        )),
        user.replacen(time, "+10000-01-01T00:00:00Z", 1),
        user.replacen(time, "9999-12-31T23:59:59-01:00", 1),
        line("connection").replace("2026-01-03T00:00:00Z", "-0001-01-03T00:00:00Z"),
        line("key").replace("\"name\"", "\"created_on\": \"+10000-01-01T00:00:00Z\", \"name\""),
    ];
    let output = fixture.import(&lines.join("\n"), &[]);
    let message = error(&output);
    let fields = [
        "user.ingestion_start",
        "user.ingestion_end",
        "user.fallback_birth_date.value",
        "user.created_on",
        "user.created_on",
        "connection.provider.created_on",
        "key.created_on",
    ];
    for (number, field) in (1..).zip(fields) {
        let expected = format!("stdin:{number}: {field}: the year is not from 0000 to 9999\n");
        assert!(message.contains(&expected), "no {expected:?} in\n{message}");
    }
    let edges = [
        more("\"ingestion_start\": \"0000-01-01\""),
        more("\"ingestion_end\": \"9999-12-31\""),
    ];
    assert!(fixture.import(&edges.join("\n"), &["--strict"]).status.success());
}

#[test]
fn keys_that_could_be_guessed_are_refused() {
    let fixture = Fixture::with_world();
    let key = |more: &str| format!("{{\"key\": {{\"team_id\": \"{TEAM}\", {more}}}}}");
    let lines = [
        key("\"key\": \"hush4711\""),
        key("\"key\": \"hush4711 hush4711 hush4711\""),
        key("\"key\": \"0123456789abcdef\", \"name\": \"hush4711\\u001b[2J\""),
        key("\"key\": \"0123456789abcdef\", \"name\": \"a name\""),
    ];
    let output = fixture.import(&lines.join("\n"), &[]);
    let message = error(&output);
    for expected in [
        "stdin:1: key.key: must have 16 characters or more",
        "stdin:2: key.key: must have letters, digits and signs of ASCII alone",
        "stdin:3: key.name: must not have control characters",
        "3 lines were rejected",
    ] {
        assert!(message.contains(expected), "no {expected:?} in\n{message}");
    }
    assert!(!message.contains("hush4711"), "{message}");
    // Exported keys are hashes, which have no length to check.
    assert!(fixture.import(&fixture.export(), &["--strict"]).status.success());
}
