//! Tests of `wearlab seed`: its defaults and its output.

use serde_json::Value;
use wearlab_sample::Sample;

use crate::fixture::{Fixture, PLAINTEXT, error};

/// Returns the printed keys, each after its owner.
fn keys(message: &str) -> Vec<String> {
    let keys = message.lines().filter_map(|line| line.rsplit_once(": "));
    keys.map(|(_, key)| key.to_owned()).collect()
}

#[test]
fn a_seeded_store_has_random_keys_and_no_destination() {
    let seed = ["seed", "--users", "10", "--into-store"];
    let (one, two) = (Fixture::new(), Fixture::new());
    let (message, other) = (one.says(&seed), two.says(&seed));
    assert!(
        message.starts_with("generated 10 users in 3 teams of 2 organisations from seed 1"),
        "{message}"
    );
    let (keys, others) = (keys(&message), keys(&other));
    assert_eq!(keys.len(), 5, "{message}");
    let sample = Sample::describe(1);
    for (key, other) in keys.iter().zip(&others) {
        assert_ne!(key, other);
        assert!(*key != sample.team_api_key && *key != sample.management_key);
        assert_eq!(key.len(), sample.team_api_key.len());
    }
    assert!(
        message.contains(&format!("key of team {}: {}", sample.team_id, keys[0])),
        "{message}"
    );
    assert!(!one.export().contains(r#"{"pipeline""#));
    let again = one.run(&seed);
    assert!(!again.status.success());
    assert!(error(&again).contains("it holds data already"), "{}", error(&again));
}

#[test]
fn lines_have_random_keys_and_no_destination_either() {
    let fixture = Fixture::new();
    let lines = || fixture.says(&["seed", "--users", "3"]);
    let (one, two) = (lines(), lines());
    let records = |lines: &str| -> Vec<Value> {
        let lines = lines.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().expect("JSON")
    };
    let (one, two) = (records(&one), records(&two));
    assert!(one.iter().all(|record| record.get("pipeline").is_none()));
    for (one, two) in one.iter().zip(&two) {
        match one.get("key") {
            Some(key) => assert_ne!(key["key"], two["key"]["key"]),
            None => assert_eq!(one, two, "the data are those of the seed"),
        }
    }
    let output = fixture.run(&["seed", "--users", "3"]);
    assert!(error(&output).contains("generated 3 users"), "{}", error(&output));
}

#[test]
fn keys_and_pipelines_are_derived_where_that_is_asked_for() {
    let fixture = Fixture::new();
    let file = fixture.directory.path().join("lines.ndjson").display().to_string();
    let message = fixture.says(&[
        "seed",
        "--users",
        "3",
        "--derived-keys",
        "--pipelines",
        "--output",
        &file,
    ]);
    let sample = Sample::describe(1);
    assert_eq!(keys(&message)[..1], [sample.team_api_key], "{message}");
    let fill = ["seed", "--users", "3", "--derived-keys", "--into-store"];
    assert_eq!(keys(&fixture.says(&fill)), keys(&message));
    assert_eq!(keys(&fixture.says(&fill)), keys(&message), "they can be printed again");
    let other = fixture.run(&["seed", "--users", "4", "--derived-keys", "--into-store"]);
    assert!(
        error(&other).contains("filled with --seed 1 --users 3"),
        "{}",
        error(&other)
    );
    let lines = std::fs::read_to_string(&file).expect("reads");
    assert_eq!(lines.matches(r#"{"pipeline""#).count(), 3);
}

#[test]
fn days_are_of_every_user_and_the_same_ones_again_are_no_news() {
    let fixture = Fixture::new();
    let seed = ["seed", "--users", "4", "--days", "5", "--derived-keys", "--into-store"];
    let message = fixture.says(&seed);
    assert!(message.contains("generated 20 days of data, "), "{message}");
    let events = || fixture.says(&["events", "list", "--json", "--limit", "10000"]);
    let listed = events();
    let export = fixture.export();
    let users = export.lines().filter_map(|line| {
        let record: Value = serde_json::from_str(line).expect("JSON");
        record["user"]["user_id"].as_str().map(str::to_owned)
    });
    let users: Vec<_> = users.collect();
    assert_eq!(users.len(), 4);
    for user in users {
        let of_user = listed.lines().filter(|line| line.contains(&user));
        let types: Vec<_> = of_user.collect();
        for event in ["historical.data.activity.created", "daily.data.heartrate.created"] {
            assert!(types.iter().any(|line| line.contains(event)), "{event} of {user}");
        }
    }
    // A day that goes on has new values a few minutes later: one of several repeats falls within the same minutes.
    let created = || events().matches(".created").count();
    let is_same = (0..4).any(|_| {
        let before = created();
        fixture.says(&seed);
        created() == before
    });
    assert!(is_same, "values are created twice");
}

#[test]
fn days_need_a_store() {
    let output = Fixture::new().run(&["seed", "--users", "1", "--days", "1"]);
    assert!(!output.status.success());
    assert!(error(&output).contains("--into-store"), "{}", error(&output));
}

/// Runs a command on a terminal, if there is `script`, and returns its output there.
#[cfg(target_os = "linux")]
fn on_a_terminal(fixture: &Fixture, arguments: &[&str]) -> String {
    let command = fixture.command(arguments);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line: Vec<_> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let mut script = std::process::Command::new("script");
    script.args(["--quiet", "--return", "--command", &line.join(" "), "/dev/null"]);
    script
        .env("TERM", "xterm")
        .env(PLAINTEXT, "true")
        .stdin(std::process::Stdio::null());
    let output = script.output().expect("script, of util-linux, runs");
    assert!(output.status.success(), "{arguments:?}: {}", error(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn progress_shows_on_a_terminal_and_nowhere_else() {
    let fixture = Fixture::new();
    let sample = Sample::describe(1);
    let copy = fixture.directory.path().join("copy.db").display().to_string();
    let (team, user) = (sample.team_id.to_string(), sample.user_id.to_string());
    for (arguments, shown) in [
        (&["seed", "--users", "400", "--into-store"][..], "of 400 users"),
        (&["export"], "records"),
        (&["backup", &copy], "written"),
        (&["user", "delete", "--team", &team, &user], "deleting"),
    ] {
        let text = on_a_terminal(&fixture, arguments);
        assert!(
            text.contains(shown) && text.contains('\u{1b}'),
            "{arguments:?}: {text:?}"
        );
    }
    let other = Fixture::new();
    let text = on_a_terminal(&other, &["restore", &copy]);
    assert!(text.contains("written, "), "{text:?}");
    let plain = Fixture::new().run(&["seed", "--users", "400", "--into-store"]);
    assert_eq!(error(&plain), "");
}
