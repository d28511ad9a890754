//! Upgrades of a schema of an earlier version: it is complete, or the schema is unchanged.

use crate::arriving::{AT, USER, at};
use crate::earlier::assert_up_to_date;
use crate::server::{Raw, Schema, message, populated, wait};
use uuid::Uuid;
use wearlab_models::Secret;
use wearlab_store::{OAuthTokens, Store};

/// A schema of version 2, as written by `pg_dump`.
const VERSION_2: &str = include_str!("../versions/postgres-2.sql");

fn earlier() -> (Schema, Raw) {
    let schema = Schema::new();
    let raw = schema.raw();
    raw.run(VERSION_2);
    (schema, raw)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_store_of_version_2_is_brought_up_to_date() {
    let (schema, raw) = earlier();
    let rows = |sql: &str| raw.texts(sql);
    let before = "SELECT concat_ws(' ', users.id, t.id, slug, t.created_on, t.document, made)
        FROM connections t JOIN users USING (team_id, user_id) ORDER BY 1";
    let after = before.replace("USING (team_id, user_id)", "ON user_row = users.id");
    let expected = rows(before);
    assert_eq!(expected.len(), 5);
    let store = schema.store();
    assert_eq!(rows(&after), expected);
    wait(assert_up_to_date(&store));
    drop(store);
    let unfinished = raw.number("SELECT count(*) FROM pulls WHERE arrived < chunks");
    assert_eq!(unfinished, 1, "what was taken stays when it is opened again");
    drop(schema.store());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_cannot_be_brought_up_to_date_stays_as_it_is() {
    let (schema, raw) = earlier();
    // A row that violates a reference: its user is missing.
    raw.run(
        "ALTER TABLE arrivals DROP CONSTRAINT arrivals_team_id_user_id_fkey;
        UPDATE arrivals SET user_id = team_id WHERE id = (SELECT max(id) FROM arrivals)",
    );
    let before = raw.dump();
    let error = wait(Store::connect(&schema.settings(), &[])).expect_err("a row would be lost");
    assert!(message(&error).contains("user_row"), "{}", message(&error));
    assert_eq!(raw.dump(), before);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn connections_of_version_17_with_tokens_have_a_task() {
    let schema = Schema::new();
    let store = schema.store();
    let (team, user) = (populated(&store), Uuid::from_u128(USER));
    let tokens = OAuthTokens {
        access_token: Secret::new("access"),
        token_type: "Bearer".to_owned(),
        refresh_token: None,
        expires_at: None,
        scopes: Vec::new(),
        origins: None,
    };
    wait(store.write(|write| write.put_tokens(team, user, "stridewell", &tokens, None, Uuid::new_v4())))
        .expect("writes");
    let linked = wait(store.pull_tasks(team, user)).expect("reads");
    drop(store);
    // The tables of later versions refer to none of these.
    schema
        .raw()
        .run("DROP TABLE pull_tasks, pull_queues; UPDATE schema_version SET version = 17");
    let store = schema.store();
    let tasks = wait(store.pull_tasks(team, user)).expect("reads");
    assert_eq!(tasks, linked);
    assert_eq!(tasks[0].due, Some(at(AT)));
    assert_eq!(
        wait(store.next_pull_task_due(&["stridewell"])).expect("reads"),
        Some(at(AT))
    );
}
