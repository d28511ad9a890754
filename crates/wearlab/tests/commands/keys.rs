//! Tests of `wearlab keys` and `wearlab link-token` on a local store.

use crate::fixture::{Fixture, TEAM, error};

#[test]
fn a_key_is_printed_once_listed_by_its_id_and_revoked() {
    let fixture = Fixture::with_world();
    let key = fixture.says(&["keys", "create", "--team", TEAM, "--name", "ci"]);
    let key = key.trim();
    assert!(key.starts_with("wl_team_") && key.len() > 30, "{key}");
    let management = fixture.says(&["keys", "create", "--org", "org_one"]);
    assert!(management.starts_with("wl_mgmt_"), "{management}");
    let list = fixture.says(&["keys", "list"]);
    assert!(!list.contains(key) && !list.contains(management.trim()), "{list}");
    assert_eq!(list.lines().count(), 4, "a head and three keys: {list}");
    let line = list.lines().find(|line| line.ends_with("  ci")).expect("the key");
    assert!(line.contains(&format!("team {TEAM}")), "{line}");
    let id = line.split_whitespace().next().expect("an id");
    assert_eq!(fixture.says(&["keys", "revoke", id]), "");
    let after = fixture.says(&["keys", "list"]);
    let revoked = after.lines().find(|line| line.starts_with(id)).expect("the key");
    assert_ne!(revoked, line);
    let unknown = fixture.run(&["keys", "revoke", "0123456789abcdef"]);
    assert!(!unknown.status.success());
    assert!(
        error(&unknown).contains("see `wearlab keys list`"),
        "{}",
        error(&unknown)
    );
}

#[test]
fn a_key_has_the_scopes_that_it_is_given_and_reads_without() {
    let fixture = Fixture::with_world();
    fixture.says(&["keys", "create", "--team", TEAM, "--name", "reader"]);
    fixture.says(&[
        "keys",
        "create",
        "--team",
        TEAM,
        "--name",
        "sender",
        "--scope",
        "ingest,read",
    ]);
    let admin = ["keys", "create", "--org", "org_one", "--name", "admin"];
    fixture.says(&[&admin[..], &["--scope", "admin", "--scope", "write"]].concat());
    let list = fixture.says(&["keys", "list"]);
    for (name, scopes) in [
        ("reader", "  read  "),
        ("sender", "  read ingest  "),
        ("admin", "  write admin  "),
    ] {
        let line = list.lines().find(|line| line.ends_with(name)).expect("the key");
        assert!(line.contains(scopes), "{line}");
    }
    let exported = fixture.says(&["export", "--with-secrets"]);
    let sender = exported
        .lines()
        .find(|line| line.contains(r#""sender""#))
        .expect("the key");
    assert!(sender.contains(r#""scopes":["read","ingest"]"#), "{sender}");
    let wrong = fixture.run(&["keys", "create", "--team", TEAM, "--scope", "all"]);
    assert!(
        error(&wrong).contains("[possible values: read, write, ingest, admin]"),
        "{}",
        error(&wrong)
    );
}

#[test]
fn a_key_has_one_owner_who_is_there() {
    let fixture = Fixture::with_world();
    for (arguments, message) in [
        (&["keys", "create"][..], "required arguments were not provided"),
        (
            &["keys", "create", "--team", TEAM, "--org", "org_two"],
            "there is no such team",
        ),
        (
            &["keys", "create", "--team", "00000000-0000-0000-0000-000000000002"],
            "there is no such team",
        ),
        (&["keys", "create", "--org", "org_two"], "there is no such organisation"),
        (
            &["link-token", "create", "--team", "00000000-0000-0000-0000-000000000002"],
            "there is no such team",
        ),
        (&["link-token", "create", "--team", TEAM, "--minutes", "0"], "0"),
        (
            &["link-token", "create", "--team", TEAM, "--minutes", "1441"],
            "1..=1440",
        ),
        (
            &["keys", "create", "--team", TEAM, "--name", "a\nb"],
            "--name must not have control characters",
        ),
    ] {
        let output = fixture.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(error(&output).contains(message), "{arguments:?}: {}", error(&output));
    }
    let token = fixture.says(&["link-token", "create", "--team", TEAM]);
    assert!(token.starts_with("wl_link_"), "{token}");
}
