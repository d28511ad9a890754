//! Tests of commands on the store of a running service, which sees their changes within a second.

use super::service::Serving;
use crate::fixture::{Fixture, TEAM, USER, WORLD};

const KEY: (&str, &str) = ("x-service-api-key", "wl_team_first");

fn user(number: u32) -> String {
    let line = WORLD.lines().find(|line| line.contains("\"user\"")).expect("a user");
    line.replace("000000000007", &format!("{number:012}"))
        .replace("client-7", &format!("client-{number}"))
}

#[test]
fn keys_are_good_once_made_and_no_longer_once_revoked() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let made = fixture.says(&["keys", "create", "--team", TEAM, "--name", "second"]);
    let key = ("x-service-api-key", made.trim());
    serving.soon("/v2/user/", &[key], 200);
    let list = fixture.says(&["keys", "list"]);
    let line = list.lines().find(|line| line.ends_with("  second")).expect("the key");
    let id = line.split_whitespace().next().expect("an id");
    fixture.says(&["keys", "revoke", id]);
    serving.soon("/v2/user/", &[key], 401);
    assert_eq!(
        serving.get("/v2/user/", &[KEY]).status,
        200,
        "the other key is as it was"
    );

    let made = fixture.says(&["keys", "create", "--org", "org_one"]);
    let management = ("x-management-key", made.trim());
    serving.soon("/v1/org/org_one/team_etl_pipelines/sandbox/eu", &[management], 200);
}

#[test]
fn link_tokens_are_good_once_made() {
    let fixture = Fixture::with_world();
    let link = r#"{"provider": {"source_type": "app", "supported": {"name": "S", "slug": "stridewell", "description": "d", "logo": null, "auth_type": "oauth"}, "link": {"name": "S", "slug": "stridewell", "description": "d", "id": 1}}}"#;
    let serving = Serving::start(&fixture, &["--set", "service.link_token_suffices=true"]);
    let path = "/v2/link/provider/oauth/stridewell";
    assert_eq!(serving.get(path, &[KEY]).status, 404);
    assert!(fixture.import(link, &["--strict"]).status.success());
    serving.soon(path, &[KEY], 200);
    let made = fixture.says(&["link-token", "create", "--team", TEAM]);
    let token = ("x-service-link-token", made.trim());
    serving.soon(path, &[token], 200);
    serving.soon(path, &[KEY, token], 200);
    assert_eq!(
        serving.get(path, &[("x-service-link-token", "wl_link_none")]).status,
        401
    );
    assert_eq!(serving.get("/v2/user/", &[token]).status, 401, "it opens nothing else");
}

#[test]
fn users_are_there_once_imported_and_gone_once_deleted() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let list = || serving.get("/v2/user/", &[KEY]).json();
    assert_eq!(list()["total"], 1);
    assert!(fixture.import(&user(8), &["--strict"]).status.success());
    serving.soon("/v2/user/00000000-0000-0000-0000-000000000008", &[KEY], 200);
    assert_eq!(list()["total"], 2);
    let changed = user(8).replace("Europe/Oslo", "Asia/Tokyo");
    assert!(fixture.import(&changed, &["--strict"]).status.success());
    let read = serving
        .get("/v2/user/00000000-0000-0000-0000-000000000008", &[KEY])
        .json();
    assert_eq!(read["fallback_time_zone"]["id"], "Asia/Tokyo");

    for path in ["", "/device"] {
        assert_eq!(serving.get(&format!("/v2/user/{USER}{path}"), &[KEY]).status, 200);
    }
    fixture.says(&["user", "delete", "--team", TEAM, USER]);
    for path in [
        format!("/v2/user/{USER}"),
        format!("/v2/user/{USER}/device"),
        format!("/v2/user/providers/{USER}"),
    ] {
        serving.soon(&path, &[KEY], 404);
    }
    assert_eq!(list()["total"], 1);
    assert_eq!(list()["users"][0]["client_user_id"], "client-8");
}

#[test]
fn a_copy_is_made_of_what_is_served() {
    let fixture = Fixture::with_world();
    let serving = Serving::start(&fixture, &[]);
    let copy = fixture.directory.path().join("copy.db").display().to_string();
    fixture.says(&["backup", &copy]);
    let other = Fixture::new();
    other.says(&["restore", &copy]);
    assert_eq!(other.export(), fixture.export());
    // A second service on the same store works.
    let second = Serving::start(&fixture, &[]);
    assert_eq!(
        second.get("/v2/user/", &[KEY]).body,
        serving.get("/v2/user/", &[KEY]).body
    );
}
