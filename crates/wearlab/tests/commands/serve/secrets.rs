//! Tests of secrets: pipelines that are encrypted in the store, files of keys, and settings that hold a secret by
//! mistake.

use std::fs;

use super::service::{Serving, command, refused};
use crate::fixture::{Fixture, PLAINTEXT, TEAM, USER, WORLD, error};

const PIPELINES: &str = "/v1/org/org_one/team_etl_pipelines/sandbox/eu";
const SECRET: &str = "hushhush";

/// Creates a file with a key of its own.
fn keys(fixture: &Fixture, name: &str, letter: &str) -> String {
    let file = fixture.file(name, &format!("{}=\n", letter.repeat(43)));
    format!("secret_key_file={file}")
}

fn in_files(fixture: &Fixture, secret: &str) -> bool {
    let entries = fs::read_dir(fixture.data()).expect("a directory");
    let mut files = entries.map(|entry| fs::read(entry.expect("an entry").path()).expect("reads"));
    files.any(|bytes| bytes.windows(secret.len()).any(|part| part == secret.as_bytes()))
}

#[test]
fn with_a_key_secrets_are_in_no_file() {
    let fixture = Fixture::with_world();
    assert!(in_files(&fixture, SECRET), "the world has no key yet");
    let key = fixture.says(&["keys", "create", "--org", "org_one"]);
    let management = ("x-management-key", key.trim());
    let setting = keys(&fixture, "secret.keys", "A");
    let serving = Serving::start(&fixture, &["--set", &setting]);
    let read = serving.get(PIPELINES, &[management]);
    assert_eq!(read.status, 200);
    assert!(read.body.contains("amqp://me:****@127.0.0.1:1/"), "{}", read.body);
    assert!(!in_files(&fixture, SECRET), "also while it is served");
    let shown = fixture.says(&["export", "--with-secrets", "--set", &setting]);
    assert!(shown.contains(SECRET), "whoever has the key reads them");
    drop(serving);
    assert!(!in_files(&fixture, SECRET));
}

#[test]
fn without_its_key_nothing_is_served() {
    let fixture = Fixture::with_world();
    let (right, wrong) = (keys(&fixture, "right.keys", "A"), keys(&fixture, "wrong.keys", "E"));
    drop(Serving::start(&fixture, &["--set", &right]));
    for arguments in [&[][..], &["--set", &wrong]] {
        let (status, message) = refused(command(&fixture, arguments));
        assert_eq!(status.code(), Some(1), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(
            message.contains("decrypt the store") && message.contains("add the key that it was encrypted with"),
            "{message}"
        );
        assert!(!message.contains("AAAA") && !message.contains("EEEE"), "{message}");
        let exported = fixture.run(&[&["export", "--with-secrets"], arguments].concat());
        assert!(!exported.status.success() && error(&exported).contains("decrypt the store"));
    }
    // A new key before the old one: values encrypted with the old one are encrypted with the new one from now on.
    let both = fixture.file("both.keys", &format!("{}=\n{}=\n", "E".repeat(43), "A".repeat(43)));
    drop(Serving::start(&fixture, &["--set", &format!("secret_key_file={both}")]));
    drop(Serving::start(&fixture, &["--set", &wrong]));
}

/// A team may have no destinations for now, and blocks of kinds that are not enabled.
#[test]
fn blocks_of_kinds_that_are_not_enabled_are_kept_and_not_served() {
    let fixture = Fixture::with_world();
    let pipeline = WORLD
        .lines()
        .find(|line| line.contains("\"pipeline\""))
        .expect("a pipeline");
    let key = fixture.says(&["keys", "create", "--org", "org_one"]);
    let read = || {
        let serving = Serving::start(&fixture, &[]);
        let response = serving.get(PIPELINES, &[("x-management-key", key.trim())]);
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    };
    let both = pipeline.replace(
        "\"rabbitmq\": {\"uri\"",
        "\"svix\": {\"regional\": true}, \"rabbitmq\": {\"uri\"",
    );
    assert!(fixture.import(&both, &["--strict"]).status.success());
    let served = read();
    assert!(
        served.contains("\"rabbitmq\":{") && !served.contains("\"svix\""),
        "{served}"
    );
    assert!(fixture.export().contains("\"svix\":{\"regional\":true}"));

    let none = both.replace("\"enabled\": [\"rabbitmq\"]", "\"enabled\": []");
    let output = fixture.import(&none, &["--strict"]);
    assert!(output.status.success(), "{}", error(&output));
    let served = read();
    assert!(
        served.contains("\"enabled\":[]") && !served.contains("\"uri\""),
        "{served}"
    );
    assert!(fixture.export().contains("hushhush"), "the store has it");
    // An export without secrets can be imported again without loss.
    let before = fixture.export();
    assert!(
        fixture
            .import(&fixture.says(&["export"]), &["--strict"])
            .status
            .success()
    );
    assert_eq!(fixture.export(), before);
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let keys = fixture.file("secret.keys", &format!("{}=\n", "A".repeat(43)));
    let setting = format!("secret_key_file={keys}");
    for (mode, refused) in [
        (0o644, true),
        (0o604, true),
        (0o620, true),
        (0o600, false),
        (0o400, false),
    ] {
        std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(mode)).expect("it is ours");
        for command in [&["config", "--check"][..], &["import", "/dev/null"]] {
            let output = fixture.run(&[command, &["--set", &setting]].concat());
            let message = error(&output);
            assert_eq!(output.status.success(), !refused, "{mode:o}: {message}");
            assert!(
                !refused || message.contains("can be read or written by others"),
                "{message}"
            );
        }
    }
}

/// `--data` takes precedence over the database.
#[test]
fn a_database_whose_url_is_missing_is_named() {
    for arguments in [&["config", "--check"][..], &["serve"], &["keys", "list"]] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
        command
            .args(arguments)
            .args(["--set", "database.url_file=/nowhere/database.url"]);
        let message = error(&command.output().expect("the binary runs"));
        assert!(message.starts_with("wearlab: invalid configuration: "), "{message}");
        assert!(
            message.contains("database.url_file: cannot read the file: "),
            "{message}"
        );
    }
}

/// A secret in place of the name of its file.
#[test]
fn a_secret_for_the_name_of_a_file_is_not_shown() {
    for (name, value) in [
        ("WEARLAB_DATABASE__URL_FILE", "postgres://u:hush4711@h/db"),
        ("WEARLAB_DATABASE__AUTHORITIES_FILE", "hush4711"),
        ("WEARLAB_SVIX__TOKEN_FILE", "hush4711"),
        ("WEARLAB_CLOUD_PUBSUB__CREDENTIALS_FILE", "hush4711"),
    ] {
        for arguments in [&["config", "--check"][..], &["serve", "--listen", "127.0.0.1:0"]] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
            let message = error(
                &command
                    .args(arguments)
                    .env(name, value)
                    .output()
                    .expect("the binary runs"),
            );
            assert!(message.contains("cannot read the file: "), "{message}");
            assert!(!message.contains("hush4711"), "{message}");
        }
    }
}

/// A database's URL in place of a directory or a table, and the variables that orchestrators set.
#[test]
fn secrets_in_the_wrong_place_are_not_reported() {
    let fixture = Fixture::new();
    let url = "postgres://u:hush4711@h/db";
    for (name, value) in [
        ("WEARLAB_DATABASE", url),
        ("WEARLAB_SVIX", "hush4711"),
        ("WEARLAB_DATA", url),
        ("WEARLAB_DATABASE__CONNECTIONS", url),
        ("WEARLAB_SVIX__TOKN", url),
        ("WEARLAB_DATABASE__URL", "postgres://u:p@hush4711@h/db"),
        ("WEARLAB_DATABASE__URL", "postgres://u:p@hush4711/x@h/db"),
    ] {
        for arguments in [&["config", "--check"][..], &["keys", "list"], &["import", "/dev/null"]] {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
            let output = command
                .args(arguments)
                .env(name, value)
                .current_dir(fixture.directory.path())
                .output();
            let output = output.expect("the binary runs");
            let message = error(&output);
            assert!(
                message.starts_with(&format!("wearlab: invalid configuration: {name}: ")),
                "{message}"
            );
            assert!(!message.contains("hush4711"), "{message}");
        }
    }
    let output = fixture.run(&["config", "--check", "--set", "svix.token=00123456"]);
    assert!(output.status.success(), "{}", error(&output));
    let mut check = fixture.command(&["config", "--check"]);
    check
        .env("WEARLAB_PORT", "tcp://10.0.0.1:80")
        .env("WEARLAB_SERVICE_HOST", "10.0.0.1");
    assert!(check.status().expect("the binary runs").success());

    let file = fixture.file("wearlab.toml", "[svix]\nhush4711 = \"x\"\n");
    for arguments in [&["--config", &file][..], &["--set", "svix.hush4711=x"]] {
        let message = error(&fixture.run(&[&["config", "--check"], arguments].concat()));
        assert!(
            message.contains("svix: unknown setting; expected one of server, "),
            "{message}"
        );
        assert!(!message.contains("hush4711"), "{message}");
    }
    let (from, to) = (
        "postgres://u:p@hush4711@h/db",
        format!("sqlite:{}", fixture.data().display()),
    );
    let mut migrate = std::process::Command::new(env!("CARGO_BIN_EXE_wearlab"));
    let message = error(&migrate.args(["migrate", from, &to]).output().expect("the binary runs"));
    assert!(message.contains("%40") && !message.contains("hush4711"), "{message}");
}

const PROVIDER: &str = r#"{"provider": {"source_type": "app", "supported": {"name": "Ringer", "slug": "ringer", "description": "d", "logo": null, "auth_type": "oauth"}, "link": {"name": "Ringer", "slug": "ringer", "description": "d", "id": 1}}}"#;

fn order() -> String {
    let event =
        serde_json::json!({"id": 1, "created_at": "2026-03-02T09:00:00Z", "status": "received.walk_in_test.ordered"});
    let order = serde_json::json!({
        "id": "00000000-0000-0000-0000-0000000000aa", "user_id": USER, "team_id": TEAM,
        "patient_details": {"first_name": "Quokka", "last_name": "Wombat", "dob": "1990-01-01", "gender": "female",
            "phone_number": "+15035550142", "email": "quokka@example.com"},
        "patient_address": {"first_line": "17 Quokka Street", "city": "Portland", "state": "OR", "zip": "97205",
            "country": "US"},
        "lab_test": {"id": "lipid-panel", "slug": "lipid-panel", "name": "Lipid panel", "sample_type": "serum",
            "method": "walk_in_test", "price": 34.5, "is_active": true, "status": "active"},
        "details": {"type": "walk_in_test", "data": {}},
        "created_at": event["created_at"], "updated_at": event["created_at"], "events": [event],
        "status": "received", "last_event": event, "has_abn": false,
    });
    serde_json::json!({"order": {"order": order}}).to_string()
}

/// Returns the status and the body of the response to settings of a provider.
fn put_provider(serving: &Serving, key: &str) -> (u16, String) {
    let url = format!("http://{}/v1/org/org_one/providers/ringer", serving.address);
    let settings = serde_json::json!({"client_id": "c", "client_secret": "hush-client",
        "authorization_url": "https://ringer.example/authorize", "token_url": "https://ringer.example/token",
        "scopes": {}, "extra_scopes": []});
    let request = reqwest::Client::new()
        .put(url)
        .header("x-management-key", key)
        .json(&settings);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let response = request.send().await.expect("a response");
        (response.status().as_u16(), response.text().await.expect("text"))
    })
}

#[test]
fn without_a_key_orders_and_linking_are_refused() {
    let fixture = Fixture::with_world();
    let key = fixture.says(&["keys", "create", "--org", "org_one", "--scope", "admin,read"]);
    let lines = fixture.file("lines.ndjson", &format!("{PROVIDER}\n{}\n", order()));
    let import = || {
        fixture
            .command(&["import", &lines])
            .env_remove(PLAINTEXT)
            .output()
            .expect("the binary runs")
    };
    let refused = import();
    assert!(!refused.status.success());
    let message = error(&refused);
    assert!(
        message.contains("lines.ndjson:2: order: ")
            && message.contains("set secret_key_file, or allow_plaintext_secrets"),
        "{message}"
    );
    assert!(fixture.export().contains("\"ringer\"") && !fixture.export().contains("\"order\":"));

    let mut serve = command(&fixture, &[]);
    serve.env_remove(PLAINTEXT);
    let serving = Serving::of(serve);
    let warning = "secret_key_file is not set: linking, orders and signed URLs are refused";
    serving.wait_for_log(warning);
    assert_eq!(serving.log().matches(warning).count(), 1, "{}", serving.log());
    let (status, body) = put_provider(&serving, key.trim());
    assert_eq!(status, 403, "{body}");
    assert!(body.contains("set secret_key_file") && !body.contains("hush"), "{body}");
    drop(serving);
    assert!(!in_files(&fixture, "hush-client") && !in_files(&fixture, "Wombat"));

    // With a key, both are accepted, and no file contains them.
    let setting = keys(&fixture, "secret.keys", "A");
    let imported = fixture
        .command(&["import", &lines, "--set", &setting])
        .env_remove(PLAINTEXT)
        .output();
    let imported = imported.expect("the binary runs");
    assert!(imported.status.success(), "{}", error(&imported));
    let mut serve = command(&fixture, &["--set", &setting]);
    serve.env_remove(PLAINTEXT);
    let serving = Serving::of(serve);
    assert_eq!(put_provider(&serving, key.trim()).0, 200);
    assert!(!serving.log().contains("secret_key_file"), "{}", serving.log());
    drop(serving);
    assert!(!in_files(&fixture, "hush-client") && !in_files(&fixture, "Wombat"));
}

#[test]
fn plain_text_is_accepted_where_a_setting_says_so() {
    let fixture = Fixture::with_world();
    let key = fixture.says(&["keys", "create", "--org", "org_one", "--scope", "admin,read"]);
    let lines = fixture.file("lines.ndjson", &format!("{PROVIDER}\n{}\n", order()));
    fixture.says(&["import", &lines]);
    let serving = Serving::start(&fixture, &[]);
    serving.wait_for_log("allow_plaintext_secrets is set without secret_key_file");
    assert_eq!(put_provider(&serving, key.trim()).0, 200);
    drop(serving);
    assert!(in_files(&fixture, "hush-client") && in_files(&fixture, "Wombat"));
}

#[test]
fn a_check_of_the_configuration_says_what_is_not_encrypted() {
    let fixture = Fixture::new();
    let setting = keys(&fixture, "secret.keys", "A");
    for (arguments, warning) in [
        (&[][..], Some("secret_key_file is not set")),
        (&["--json"], Some("secret_key_file is not set")),
        (
            &["--set", "allow_plaintext_secrets=true"],
            Some("allow_plaintext_secrets is set without"),
        ),
        (&["--set", &setting], None),
    ] {
        let mut check = fixture.command(&[&["config", "--check"], arguments].concat());
        let output = check.env_remove(PLAINTEXT).output().expect("the binary runs");
        assert!(output.status.success());
        let message = error(&output);
        match warning {
            Some(warning) => assert!(message.contains(warning) && message.lines().count() == 1, "{message}"),
            None => assert_eq!(message, ""),
        }
    }
    let seed = fixture
        .command(&["seed", "--users", "3", "--into-store"])
        .env_remove(PLAINTEXT)
        .output();
    let message = error(&seed.expect("the binary runs"));
    assert!(
        message.contains("failed to keep orders") && message.lines().count() == 1,
        "{message}"
    );
}
