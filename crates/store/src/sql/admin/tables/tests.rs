//! Completeness of the list of tables.

use std::collections::BTreeMap;

use super::{LOCAL_TABLES, OTHERS, TABLES};
use crate::Store;

/// Columns and key of each table.
type Schema = BTreeMap<String, (Vec<String>, Vec<String>)>;

fn listed() -> Schema {
    let texts = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let tables = TABLES.iter().chain(LOCAL_TABLES).map(|table| {
        let (mut columns, key) = (texts(table.columns), texts(&table.columns[..table.key]));
        columns.sort();
        (table.name.to_owned(), (columns, key))
    });
    tables.collect()
}

fn assert_complete(mut schema: Schema) {
    schema.retain(|name, _| !OTHERS.contains(&name.as_str()));
    for (columns, _) in schema.values_mut() {
        columns.sort();
    }
    assert_eq!(
        schema,
        listed(),
        "a table or a column is missing in the list of tables, or is too much there"
    );
    for table in TABLES {
        assert!(
            table.long.is_none_or(|long| table.columns.contains(&long)),
            "{}",
            table.name
        );
    }
}

#[test]
fn every_table_of_the_embedded_engine_is_listed_behind_those_that_it_refers_to() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(Store::open(directory.path()).expect("a store"));
    let raw = rusqlite::Connection::open(directory.path().join("wearlab.db")).expect("a database");
    let names = |sql: &str| -> Vec<String> {
        let mut rows = raw.prepare(sql).expect("a statement");
        let rows = rows.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("names")
    };
    let mut schema = Schema::new();
    for table in names("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'") {
        let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
        let key = names(&format!(
            "SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk"
        ));
        if OTHERS.contains(&table.as_str()) {
            continue;
        }
        let place = |name: &str| TABLES.iter().chain(LOCAL_TABLES).position(|table| table.name == name);
        for other in names(&format!("SELECT \"table\" FROM pragma_foreign_key_list('{table}')")) {
            assert!(place(&other) < place(&table), "{table} refers to {other}");
        }
        schema.insert(table, (columns, key));
    }
    assert_complete(schema);
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn every_table_of_postgresql_is_listed() {
    use crate::PostgresSettings;
    let url = std::env::var("WEARLAB_TEST_DATABASE").expect("the address of a server in WEARLAB_TEST_DATABASE");
    let connect = async |url: &str| {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
            .await
            .expect("a server");
        tokio::spawn(connection);
        client
    };
    let client = connect(&url).await;
    let again = "DROP SCHEMA IF EXISTS listed_tables CASCADE; CREATE SCHEMA listed_tables";
    client.batch_execute(again).await.expect("a schema");
    let url = format!(
        "{url}{}options=-c%20search_path%3Dlisted_tables",
        if url.contains('?') { '&' } else { '?' }
    );
    drop(
        Store::connect(&PostgresSettings::new(&url), &[])
            .await
            .expect("a store"),
    );
    let sql = "SELECT relname::text, array_agg(attname::text) FILTER (WHERE attgenerated = ''),
            coalesce((SELECT array_agg(part.attname::text ORDER BY place)
                FROM pg_index, unnest(indkey) WITH ORDINALITY AS key (number, place), pg_attribute AS part
                WHERE indrelid = pg_class.oid AND indisprimary AND part.attrelid = indrelid AND part.attnum = number), '{}')
        FROM pg_class JOIN pg_attribute AS attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        WHERE relnamespace = 'listed_tables'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        GROUP BY pg_class.oid, relname";
    let mut schema = Schema::new();
    for row in client.query(sql, &[]).await.expect("tables") {
        let (name, columns, mut key): (String, Vec<String>, Vec<String>) = (row.get(0), row.get(1), row.get(2));
        if name == "events" {
            // The key of partitions also has the time, by which they are partitioned.
            assert_eq!(key.pop().as_deref(), Some("created_on"));
        }
        schema.insert(name, (columns, key));
    }
    client
        .batch_execute("DROP SCHEMA listed_tables CASCADE")
        .await
        .expect("goes");
    assert_complete(schema);
}
