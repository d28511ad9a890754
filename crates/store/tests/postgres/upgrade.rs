//! Upgrades of a schema of an earlier version: it is complete, or the schema is unchanged.

use crate::earlier::assert_up_to_date;
use crate::server::{Raw, Schema, message, wait};
use wearlab_store::Store;

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
