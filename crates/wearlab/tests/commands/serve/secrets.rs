//! A service whose pipelines are encrypted in the store.

use std::fs;

use super::service::{Serving, command, refused};
use crate::fixture::{Fixture, WORLD, error};

const PIPELINES: &str = "/v1/org/org_one/team_etl_pipelines/sandbox/eu";
const SECRET: &str = "hushhush";

/// A file with a key of its own.
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
        let (status, said) = refused(command(&fixture, arguments));
        assert_eq!(status.code(), Some(1), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.contains("read what is encrypted") && said.contains("add the key that they were encrypted with"),
            "{said}"
        );
        assert!(!said.contains("AAAA") && !said.contains("EEEE"), "{said}");
        let exported = fixture.run(&[&["export", "--with-secrets"], arguments].concat());
        assert!(!exported.status.success() && error(&exported).contains("what is encrypted"));
    }
    // A new key before the old one: what the old one opens is encrypted with the new one from now on.
    let both = fixture.file("both.keys", &format!("{}=\n{}=\n", "E".repeat(43), "A".repeat(43)));
    drop(Serving::start(&fixture, &["--set", &format!("secret_key_file={both}")]));
    drop(Serving::start(&fixture, &["--set", &wrong]));
}

/// A team may send nothing for now, and may have blocks of kinds that it does not use.
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
        let answer = serving.get(PIPELINES, &[("x-management-key", key.trim())]);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
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
    // What is exported without secrets is whole, so that importing it again loses nothing.
    let before = fixture.export();
    assert!(
        fixture
            .import(&fixture.says(&["export"]), &["--strict"])
            .status
            .success()
    );
    assert_eq!(fixture.export(), before);
}
