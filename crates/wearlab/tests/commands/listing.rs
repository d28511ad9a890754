//! Tests of listings: events by type, user and age, users, and the same as JSON.

use serde_json::Value;

use crate::fixture::{Fixture, TEAM, USER, error};

fn json(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("a line of JSON for each row")
}

fn trigger(fixture: &Fixture, event_type: &str) -> String {
    let id = fixture.says(&["trigger", event_type, "--team", TEAM, "--user", USER]);
    id.trim().to_owned()
}

#[test]
fn events_are_found_by_type_by_user_and_among_the_last() {
    let fixture = Fixture::with_world();
    let ids: Vec<_> = [
        "daily.data.steps.created",
        "daily.data.sleep_cycle.created",
        "provider.connection.created",
        "daily.data.steps.created",
    ]
    .map(|event_type| trigger(&fixture, event_type))
    .into();
    let list = |arguments: &[&str]| -> Vec<String> {
        let message = fixture.says(&[&["events", "list"], arguments].concat());
        let lines = message.lines().skip(1);
        let ids = lines.filter_map(|line| line.split_whitespace().nth(1).map(str::to_owned));
        ids.collect()
    };
    let of = |numbers: &[usize]| -> Vec<String> { numbers.iter().map(|number| ids[*number].clone()).collect() };
    assert_eq!(list(&[]), ids);
    assert_eq!(list(&["--type", "daily.data.steps"]), of(&[0, 3]));
    assert_eq!(list(&["--type", "daily."]), of(&[0, 1, 3]));
    assert_eq!(list(&["--type", "aily."]), of(&[]));
    assert_eq!(list(&["--user", USER, "--team", TEAM]), ids);
    let nobody = fixture.run(&["events", "list", "--user", TEAM]);
    assert!(error(&nobody).contains("there is no such user"), "{}", error(&nobody));
    assert_eq!(list(&["--last", "2"]), of(&[2, 3]), "oldest first");
    assert_eq!(list(&["--last", "1", "--type", "daily.data.sleep"]), of(&[1]));
    let rows = json(&fixture.says(&["events", "list", "--json", "--last", "1"]));
    assert_eq!(rows.len(), 1, "no head");
    assert_eq!(rows[0]["event_id"], ids[3].as_str());
    assert_eq!(rows[0]["user_id"], USER);
    let both = fixture.run(&["events", "list", "--last", "1", "--limit", "1"]);
    assert!(error(&both).contains("cannot be used with"), "{}", error(&both));
}

#[test]
fn users_are_listed_and_shown() {
    let fixture = Fixture::with_world();
    let list = fixture.says(&["user", "list", "--team", TEAM]);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(
        list.contains(USER) && list.contains("client-7") && list.contains("Europe/Oslo"),
        "{list}"
    );
    let rows = json(&fixture.says(&["user", "list", "--team", TEAM, "--json"]));
    assert_eq!((rows.len(), &rows[0]["user_id"]), (1, &Value::from(USER)));
    let skipped = fixture.says(&["user", "list", "--team", TEAM, "--offset", "1"]);
    assert_eq!(skipped.lines().count(), 1, "{skipped}");
    let shown: Value = serde_json::from_str(&fixture.says(&["user", "show", "--team", TEAM, USER])).expect("JSON");
    assert_eq!(shown["user"]["client_user_id"], "client-7");
    assert_eq!(shown["providers"][0]["slug"], "stridewell");
    assert_eq!(shown["devices"][0]["source_type"], "watch");
    for arguments in [
        &["user", "show", "--team", TEAM, TEAM][..],
        &["user", "list", "--team", USER],
    ] {
        let output = fixture.run(arguments);
        assert!(
            !output.status.success() && error(&output).contains("no such"),
            "{}",
            error(&output)
        );
    }
}

#[test]
fn keys_and_webhooks_are_listed_as_json_without_what_is_secret() {
    let fixture = Fixture::with_world();
    let keys = json(&fixture.says(&["keys", "list", "--json"]));
    assert_eq!((keys.len(), &keys[0]["name"]), (1, &Value::from("first")));
    assert_eq!(keys[0]["team_id"], TEAM);
    let url = "https://hooks.example/path-with-a-secret";
    let added = fixture.says(&["webhooks", "add", url, "--team", TEAM]);
    let secret = added.lines().nth(1).expect("a secret");
    let message = fixture.says(&["webhooks", "list", "--json"]);
    let rows = json(&message);
    assert_eq!(rows[0]["webhook_id"], added.lines().next().expect("an id"));
    assert!(
        !message.contains(secret) && !message.contains("path-with-a-secret"),
        "{message}"
    );
}

#[test]
fn a_word_that_is_nearly_right_is_answered_with_the_right_one() {
    let fixture = Fixture::new();
    for (arguments, meant) in [
        (&["sede"][..], "`seed`"),
        (&["events", "undelivred"], "`undelivered`"),
        (&["seed", "--uzers", "3"], "`--users`"),
    ] {
        let output = fixture.run(arguments);
        let message = error(&output);
        assert!(message.contains(&format!("did you mean {meant}?")), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn completions_are_of_all_commands() {
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"))
            .args(arguments)
            .output()
            .expect("the binary runs");
        assert!(output.status.success(), "{}", error(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    let script = run(&["completions", "bash"]);
    assert!(
        script.contains("undelivered") && script.contains("get-user"),
        "{script}"
    );
    assert_eq!(run(&["api", "completions", "bash"]), script);
}
