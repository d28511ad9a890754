//! Tests of commands with `--base-url`: the same script on a local store and at a service, with the same output and
//! effect.

mod undelivered;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread;

use serde_json::{Value, json};
use wearlab_models::Uuid;

use crate::fixture::{Fixture, TEAM, USER, error};
use crate::serve::service::Serving;

const TEAM_KEY: &str = "wl_team_that_reads_and_writes";
const MANAGEMENT_KEY: &str = "wl_mgmt_that_reads_and_administers";
const READER: &str = "wl_mgmt_that_only_reads";
const ORG: &str = "org_one";
const NOBODY: &str = "00000000-0000-0000-0000-0000000000ff";

/// Creates the small world with keys.
fn fixture() -> Fixture {
    let fixture = Fixture::with_world();
    let at = "2026-01-02T03:04:05Z";
    let keys = [
        json!({"key": {"team_id": TEAM, "key": TEAM_KEY, "scopes": ["read", "write"], "created_on": at}}),
        json!({"key": {"org_id": ORG, "key": MANAGEMENT_KEY, "scopes": ["read", "admin"], "created_on": at}}),
        json!({"key": {"org_id": ORG, "key": READER, "scopes": ["read"], "created_on": "2026-01-02T03:04:06Z"}}),
    ];
    let lines: String = keys.iter().map(|line| format!("{line}\n")).collect();
    let output = fixture.import(&lines, &[]);
    assert!(output.status.success(), "{}", error(&output));
    fixture
}

/// Creates a command that calls a service with keys.
fn remote(url: &str, management_key: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    command.args(arguments).args(["--base-url", url]).env_remove("RUST_LOG");
    command.env("WEARLAB_API_KEY", TEAM_KEY);
    command.env("WEARLAB_MANAGEMENT_KEY", management_key);
    command.env("WEARLAB_ORG_ID", ORG);
    command
}

/// Target of a script.
enum Place<'f> {
    Here(&'f Fixture),
    There(String),
}

impl Place<'_> {
    /// Output of a command, without the differences between two runs: ids, keys, times.
    fn run(&self, said: &mut Vec<String>, arguments: &[&str]) -> String {
        let output = match self {
            Self::Here(fixture) => fixture.run(arguments),
            Self::There(url) => remote(url, MANAGEMENT_KEY, arguments)
                .output()
                .expect("the binary runs"),
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        said.push(format!(
            "{:?} {}{}",
            output.status.code(),
            normalised(&text),
            normalised(&error(&output))
        ));
        text
    }

    /// Runs a command of a team, which is that of the key at a service.
    fn run_of_team(&self, said: &mut Vec<String>, arguments: &[&str]) -> String {
        match self {
            Self::Here(_) => self.run(said, &[arguments, &["--team", TEAM]].concat()),
            Self::There(_) => self.run(said, arguments),
        }
    }
}

fn normalised(text: &str) -> String {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-_:.+/=".contains(c));
    let words = text.split_inclusive(ends).map(|word| {
        let (word, end) = word.split_at(word.find(ends).unwrap_or(word.len()));
        let is_hash = [16, 64].contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_id = ![TEAM, USER, NOBODY].contains(&word) && word.parse::<Uuid>().is_ok();
        let is_time = word.starts_with("20") && word.contains('T') && word.contains(':');
        let known = if ["wl_", "wh_", "whsec_", "evt_"]
            .iter()
            .any(|prefix| word.starts_with(prefix))
        {
            "<secret>"
        } else if is_hash {
            "<hash>"
        } else if is_id {
            "<id>"
        } else if is_time && !word.starts_with("2026-01") {
            "<time>"
        } else {
            word
        };
        format!("{known}{end}")
    });
    words.collect()
}

/// Runs a script locally and at a service, and compares the output and the contents of the stores.
fn compare(management: bool, script: impl Fn(&Place<'_>, &mut Vec<String>)) -> (Fixture, Fixture) {
    compare_on(|_| {}, management, script)
}

/// Compares like `compare`, with more lines in both stores.
fn compare_on(
    prepare: impl Fn(&Fixture),
    management: bool,
    script: impl Fn(&Place<'_>, &mut Vec<String>),
) -> (Fixture, Fixture) {
    let (here, there) = (fixture(), fixture());
    [&here, &there].into_iter().for_each(prepare);
    let (mut local, mut at_service) = (Vec::new(), Vec::new());
    script(&Place::Here(&here), &mut local);
    let serving = Serving::start(&there, &[]);
    let address = if management {
        &serving.management
    } else {
        &serving.address
    };
    script(&Place::There(format!("http://{address}/")), &mut at_service);
    assert_eq!(at_service, local);
    drop(serving);
    let held = |fixture: &Fixture| {
        let mut lines: Vec<_> = fixture.export().lines().map(normalised).collect();
        lines.sort();
        lines
    };
    assert_eq!(held(&there), held(&here));
    (here, there)
}

#[test]
fn keys_are_created_listed_and_revoked() {
    let (here, _) = compare(true, |place, said| {
        place.run(
            said,
            &[
                "keys",
                "create",
                "--team",
                TEAM,
                "--name",
                "ci",
                "--scope",
                "read,write",
            ],
        );
        place.run(
            said,
            &["keys", "create", "--org", ORG, "--name", "admin", "--scope", "admin"],
        );
        let list = place.run(said, &["keys", "list"]);
        place.run(said, &["keys", "list", "--json"]);
        place.run(said, &["keys", "revoke", "0123456789abcdef"]);
        let line = list.lines().find(|line| line.ends_with("  ci")).expect("the key");
        let id = line.split_whitespace().next().expect("an id");
        place.run(said, &["keys", "revoke", id]);
        place.run(said, &["keys", "list"]);
        place.run(said, &["keys", "list", "--org", ORG]);
        assert!(said[4].contains("there is no key"), "{said:?}");
        assert!(said[..4].iter().all(|text| text.starts_with("Some(0)")), "{said:?}");
    });
    // The log names who wrote on the machine itself.
    let serving = Serving::start(&here, &[]);
    let log = serving.probe(&format!("/v1/org/{ORG}/audit_log"));
    assert_eq!(log.status, 401);
    let log = crate::serve::service::get(
        &serving.management,
        &format!("/v1/org/{ORG}/audit_log"),
        &[("x-management-key", MANAGEMENT_KEY)],
    );
    let log = log.json();
    let written: Vec<_> = log["entries"].as_array().expect("entries").iter().collect();
    assert_eq!(written.len(), 3, "{log}");
    assert!(written.iter().all(|entry| entry["key_id"] == "local"), "{log}");
}

#[test]
fn teams_are_created_and_listed() {
    let new = "00000000-0000-0000-0000-0000000000aa";
    compare(true, |place, said| {
        let create = [
            "teams",
            "create",
            "--org",
            ORG,
            "--environment",
            "production",
            "--region",
            "us",
        ];
        assert_eq!(place.run(said, &[&create[..], &["--id", new]].concat()).trim(), new);
        place.run(said, &[&create[..], &["--id", new]].concat());
        place.run(said, &create);
        place.run(said, &["teams", "list"]);
        let rows = place.run(said, &["teams", "list", "--json"]);
        assert_eq!(rows.lines().count(), 3, "{rows}");
        assert!(said[1].contains("a team has this id"), "{said:?}");
    });
}

#[test]
fn users_are_created_changed_listed_and_deleted() {
    let (here, _) = compare(false, |place, said| {
        place.run_of_team(said, &["user", "show", USER]);
        let create = [
            "user",
            "create",
            "client-8",
            "--time-zone",
            "Europe/Paris",
            "--birth-date",
            "1990-01-31",
        ];
        let id = place.run_of_team(said, &create);
        let id = id.trim();
        place.run_of_team(said, &create);
        place.run_of_team(said, &["user", "create", "client-9", "--time-zone", "Mars/Olympus"]);
        place.run_of_team(
            said,
            &[
                "user",
                "update",
                id,
                "--birth-date",
                "none",
                "--ingestion-start",
                "2026-01-01",
            ],
        );
        place.run_of_team(said, &["user", "update", NOBODY, "--time-zone", "UTC"]);
        place.run_of_team(said, &["user", "update", id]);
        place.run_of_team(said, &["user", "list"]);
        place.run_of_team(said, &["user", "list", "--json"]);
        place.run_of_team(said, &["user", "disconnect", USER, "stridewell"]);
        place.run_of_team(said, &["user", "disconnect", USER, "stridewell"]);
        place.run_of_team(said, &["user", "delete", USER]);
        place.run_of_team(said, &["user", "delete", USER]);
        place.run_of_team(said, &["user", "show", USER]);
        for (index, message) in [
            (2, "another user of the team has this client_user_id: <id>"),
            (3, "fallback_time_zone"),
            (5, "the team has no such user: see `wearlab user list`"),
            (6, "nothing to change"),
            (10, "no connection with this provider"),
            (11, "deleted user"),
            (12, "the team has no such user"),
            (13, "the team has no such user"),
        ] {
            assert!(said[index].contains(message), "{index}: {}", said[index]);
        }
    });
    let bytes = std::fs::read(here.data().join("wearlab.db")).expect("reads");
    let trace = b"client-7";
    assert!(
        !bytes.windows(trace.len()).any(|part| part == trace),
        "the files are scrubbed"
    );
}

#[test]
fn all_that_is_held_of_a_user_is_written() {
    compare(true, |place, said| {
        let lines = place.run(said, &["user", "export", USER, "--team", TEAM]);
        assert!(lines.contains("client-7") && lines.ends_with("}}\n"), "{lines}");
        place.run(said, &["user", "export", NOBODY, "--team", TEAM]);
        assert!(said[1].contains("the team has no such user"), "{said:?}");
    });
}

#[test]
fn link_tokens_of_users_are_created() {
    compare(false, |place, said| {
        let made = place.run_of_team(said, &["link-token", "create", "--user", USER]);
        let lines: Vec<_> = made.lines().collect();
        assert!(
            lines[0].starts_with("wl_link_") && lines[1].ends_with(&format!("/link?token={}", lines[0])),
            "{made}"
        );
        said.clear();
        place.run_of_team(said, &["link-token", "create", "--user", NOBODY]);
        place.run_of_team(
            said,
            &[
                "link-token",
                "create",
                "--user",
                USER,
                "--redirect-url",
                "https://not.example/",
            ],
        );
    });
}

#[test]
fn events_are_made_up_listed_and_shown() {
    let (here, there) = compare(true, |place, said| {
        let trigger = |said: &mut Vec<String>, event_type| {
            place
                .run(said, &["trigger", event_type, "--team", TEAM, "--user", USER])
                .trim()
                .to_owned()
        };
        let ids = [
            "daily.data.steps.created",
            "provider.connection.created",
            "daily.data.sleep.updated",
        ]
        .map(|event_type| trigger(said, event_type));
        trigger(said, "nonsense");
        place.run(
            said,
            &["trigger", "daily.data.steps.created", "--team", TEAM, "--user", NOBODY],
        );
        let listed = |said: &mut Vec<String>, arguments: &[&str]| -> Vec<String> {
            let rows = place.run(said, &[&["events", "list", "--json"], arguments].concat());
            let rows = rows
                .lines()
                .map(|row| serde_json::from_str::<Value>(row).expect("JSON"));
            rows.map(|row| row["event_id"].as_str().expect("an id").to_owned())
                .collect()
        };
        assert_eq!(listed(said, &[]), ids);
        assert_eq!(listed(said, &["--last", "2"]), ids[1..]);
        assert_eq!(
            listed(said, &["--limit", "2", "--team", TEAM, "--user", USER]),
            ids[..2]
        );
        assert_eq!(listed(said, &["--type", "daily.", "--last", "1"]), ids[2..]);
        place.run(said, &["events", "list"]);
        place.run(said, &["events", "list", "--user", NOBODY]);
        let shown = place.run(said, &["events", "show", &ids[0]]);
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(shown["event_id"], ids[0].as_str());
        place.run(said, &["events", "show", "evt_none"]);
        for (index, message) in [
            (3, "event_type is an unknown event type"),
            (4, "no such user"),
            (10, "no such user"),
        ] {
            assert!(said[index].contains(message), "{index}: {}", said[index]);
        }
    });
    drop((here, there));
}

#[test]
fn destinations_are_checked() {
    compare(true, |place, said| {
        place.run(said, &["pipelines", "check"]);
        place.run(said, &["pipelines", "check", "--json", "--team", TEAM]);
        assert!(
            said.iter()
                .all(|text| text.starts_with("Some(1)") && text.contains("1 destination failed")),
            "{said:?}"
        );
        assert!(
            said[0].contains("rabbitmq: ") && !said[0].contains("hushhush"),
            "{said:?}"
        );
    });
}

#[test]
fn webhooks_are_added_changed_and_removed() {
    compare(true, |place, said| {
        let url = "https://example.com/hooks/hush4711";
        let added = place.run(
            said,
            &["webhooks", "add", url, "--team", TEAM, "--event-type", "daily."],
        );
        let lines: Vec<_> = added.lines().collect();
        let [id, secret] = lines.as_slice() else {
            panic!("{added}")
        };
        assert!(id.starts_with("wh_") && secret.starts_with("whsec_"), "{added}");
        let list = place.run(said, &["webhooks", "list"]);
        assert!(list.contains(id) && !list.contains("hush4711"), "{list}");
        place.run(said, &["webhooks", "list", "--json"]);
        place.run(said, &["webhooks", "add", "http://example.com/", "--team", TEAM]);
        place.run(said, &["webhooks", "enable", id]);
        let rotated = place.run(said, &["webhooks", "rotate-secret", id]);
        assert!(rotated.starts_with("whsec_") && rotated.trim() != *secret, "{rotated}");
        place.run(said, &["webhooks", "remove", id]);
        place.run(said, &["webhooks", "remove", id]);
        place.run(said, &["webhooks", "test", "wh_none"]);
        for (index, message) in [
            (3, "plain http"),
            (7, "there is no webhook"),
            (8, "there is no webhook"),
        ] {
            assert!(said[index].contains(message), "{index}: {}", said[index]);
        }
    });
}

/// Returns the one line of a failing command.
fn failure(mut command: Command) -> String {
    let output: Output = command.output().expect("the binary runs");
    let message = error(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(output.stdout.is_empty(), "{message}");
    assert!(
        message.starts_with("wearlab: ") && message.lines().count() == 1,
        "{message}"
    );
    message
}

#[test]
fn what_is_wrong_is_named_in_one_line_without_the_key() {
    let fixture = fixture();
    let serving = Serving::start(&fixture, &[]);
    let url = format!("http://{}", serving.management);
    let create = ["keys", "create", "--org", ORG];
    let other = ["keys", "list", "--org", "org_two"];
    for (key, arguments, expected) in [
        (
            "wl_mgmt_hush4711",
            &create[..],
            "failed to create the key: the management key is unknown or revoked",
        ),
        (
            "hush4711\u{e9}",
            &create,
            "the header x-management-key is not plain text",
        ),
        (READER, &create, "scope"),
        (MANAGEMENT_KEY, &other, "failed to list the keys: no such organisation"),
        (
            MANAGEMENT_KEY,
            &["keys", "create", "--team", NOBODY],
            "team_id is not a team of the organisation",
        ),
        ("", &["teams", "list"], "set WEARLAB_MANAGEMENT_KEY"),
        // The operations of the API are at another address.
        (MANAGEMENT_KEY, &["user", "list", "--team", TEAM], "cannot be used with"),
    ] {
        let message = failure(remote(&url, key, arguments));
        assert!(message.contains(expected), "{message}");
        for secret in ["hush4711", READER, MANAGEMENT_KEY] {
            assert!(!message.contains(secret), "{message}");
        }
    }
    let mut nameless = remote(&url, MANAGEMENT_KEY, &["keys", "list"]);
    nameless.env_remove("WEARLAB_ORG_ID");
    assert!(failure(nameless).contains("give --org, or set WEARLAB_ORG_ID"));
    for (url, expected) in [
        ("http://me:hush4711@127.0.0.1:9", "--base-url: invalid request: "),
        ("hush4711", "--base-url: invalid request: "),
    ] {
        let message = failure(remote(url, MANAGEMENT_KEY, &["keys", "list"]));
        assert!(message.contains(expected) && !message.contains("hush4711"), "{message}");
    }
    let both = failure(remote(&url, MANAGEMENT_KEY, &["keys", "list", "--data", "here"]));
    assert!(both.contains("cannot be used with"), "{both}");
    drop(serving);
    let away = failure(remote(&url, MANAGEMENT_KEY, &create));
    assert!(
        away.contains(&format!(
            "failed to create the key at {url}: the connection to the service failed"
        )),
        "{away}"
    );
}

#[test]
fn a_service_of_an_older_version_is_named_as_one() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let problem =
        json!({"type": "about:blank", "title": "Not Found", "status": 404, "detail": "Nothing has this path."});
    let bodies: [Value; 2] = [problem, json!("no such page")];
    let server = thread::spawn(move || {
        for body in bodies {
            let (mut stream, _) = listener.accept().expect("a request");
            let _ = stream.read(&mut [0; 4096]);
            let body = body.to_string();
            let head = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-type: application/problem+json";
            write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).expect("writes");
        }
    });
    for arguments in [&["keys", "revoke", "0123456789abcdef"][..], &["keys", "list"]] {
        let message = failure(remote(&url, MANAGEMENT_KEY, arguments));
        assert!(
            message.contains(&format!("{url} does not have this operation: ")),
            "{message}"
        );
    }
    server.join().expect("no panic");
}
