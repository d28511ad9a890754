//! The list of tables, and the tables of PostgreSQL.

use rusqlite::Connection;

use super::{Table, read, tables};

fn table(name: &str, key: usize, columns: &[&str], long: &[&str]) -> Table {
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Table {
        name: name.to_owned(),
        columns: texts(columns),
        key,
        long: texts(long),
    }
}

#[test]
fn tables_follow_those_that_they_refer_to_and_columns_those_of_the_key() {
    let connection = Connection::open_in_memory().expect("a database");
    let script = "
        CREATE TABLE pages (
            content BLOB,
            book INTEGER NOT NULL REFERENCES books (id),
            number INTEGER NOT NULL,
            next INTEGER REFERENCES pages (number),
            digits INTEGER GENERATED ALWAYS AS (length(content)) STORED,
            PRIMARY KEY (number, book)
        ) STRICT;
        CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author TEXT REFERENCES authors (name)) STRICT;
        CREATE INDEX books_by_title ON books (title);
        CREATE TABLE authors (name TEXT PRIMARY KEY) STRICT;";
    connection.execute_batch(script).expect("runs");
    let expected = [
        table("authors", 1, &["name"], &[]),
        table("books", 1, &["id", "title", "author"], &["author"]),
        table("pages", 2, &["number", "book", "content", "next"], &["content"]),
    ];
    assert_eq!(read(&connection).expect("reads"), expected);
    connection
        .execute_batch("ALTER TABLE authors ADD COLUMN page INTEGER REFERENCES pages (number)")
        .expect("runs");
    let error = read(&connection).expect_err("has no order");
    assert!(matches!(error, crate::StoreError::Engine(_)), "{error:?}");
}

/// A digest of rows is over their columns in this order: another one would end migrations in progress.
#[test]
fn columns_of_the_store_are_in_the_order_of_the_schema() {
    let tables = tables().expect("reads");
    let summaries = tables.iter().find(|table| table.name == "summaries").expect("is there");
    let columns = "id user_row summary_id resource provider source day starts ends document derived_id provider_id";
    assert_eq!(summaries.columns.join(" "), columns);
    assert!(tables.len() >= 42, "{tables:?}");
}

#[cfg(feature = "postgres")]
mod postgres {
    use std::collections::BTreeMap;

    use super::tables;
    use crate::{PostgresSettings, Store};

    /// Tables of PostgreSQL alone: of its schema, and of running processes.
    const OTHERS: [&str; 4] = ["leases", "schema_version", "users_changed", "workers"];

    /// Columns, in the order of their names, and the key.
    type Schema = BTreeMap<String, (Vec<String>, Vec<String>)>;

    #[tokio::test]
    #[ignore = "needs PostgreSQL"]
    async fn postgresql_has_the_same_tables() {
        let url = std::env::var("WEARLAB_TEST_DATABASE").expect("the address of a server in WEARLAB_TEST_DATABASE");
        let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
            .await
            .expect("a server");
        tokio::spawn(connection);
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
        // The key of partitions also has the time, by which they are partitioned.
        let sql =
            "SELECT relname::text, array_agg(attname::text ORDER BY attname::text) FILTER (WHERE attgenerated = ''),
                coalesce((SELECT array_agg(part.attname::text ORDER BY place)
                    FROM pg_index, unnest(indkey) WITH ORDINALITY AS key (number, place), pg_attribute AS part
                    WHERE indrelid = pg_class.oid AND indisprimary AND part.attrelid = indrelid AND part.attnum = number
                        AND NOT EXISTS (SELECT 1 FROM pg_partitioned_table
                            WHERE partrelid = indrelid AND part.attnum = ANY (partattrs))), '{}')
            FROM pg_class JOIN pg_attribute AS attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
            WHERE relnamespace = 'listed_tables'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            GROUP BY pg_class.oid, relname";
        let rows = client.query(sql, &[]).await.expect("tables");
        client
            .batch_execute("DROP SCHEMA listed_tables CASCADE")
            .await
            .expect("goes");
        let found = rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2))));
        let found: Schema = found
            .filter(|(name, _): &(String, _)| !OTHERS.contains(&&**name))
            .collect();
        let expected = tables().expect("reads").iter().map(|table| {
            let mut columns = table.columns.clone();
            columns.sort();
            (table.name.clone(), (columns, table.columns[..table.key].to_vec()))
        });
        assert_eq!(found, expected.collect());
    }
}
