//! Query plans of the embedded engine, for tests of the cost of statements.

use wearlab_database::sqlite;

use crate::StoreError;

/// Returns the number of parameters of a statement, and the steps of its plan.
pub(crate) fn query_plan(database: &sqlite::Database, sql: &str) -> (usize, Vec<String>) {
    let plan = database.with_reader(|connection| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let parameters = statement.parameter_count();
        for at in 1..=parameters {
            statement.raw_bind_parameter(at, 1)?;
        }
        let mut rows = statement.raw_query();
        let mut plan = Vec::<String>::new();
        while let Some(row) = rows.next()? {
            plan.push(row.get("detail")?);
        }
        Ok::<_, StoreError>((parameters, plan))
    });
    plan.expect("reads")
}
