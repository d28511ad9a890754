//! Reference for reads: axum and tokio-postgres with prepared statements.

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use deadpool_postgres::{Manager, Pool};
use tokio_postgres::NoTls;
use uuid::Uuid;

use super::CONNECTIONS;
use crate::population::TEAM;

/// Environment variable with the URL of the database, which contains a password.
pub(crate) const DATABASE: &str = "BENCH_DATABASE_URL";

const USER: &str = "SELECT document FROM users WHERE team_id = $1 AND user_id = $2";
const PAGE: &str = "SELECT document FROM users WHERE team_id = $1 ORDER BY created_on, user_id LIMIT $2 OFFSET $3";

#[derive(Clone)]
struct Users {
    pool: Pool,
    /// Counted once: a count for each page would be unfair.
    total: i64,
}

/// Serves users of a database, at an address that it prints, until it is killed.
pub(crate) fn serve() -> Result<()> {
    let database = std::env::var(DATABASE).context("no database is named")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let pool = Pool::builder(Manager::new(database.parse()?, NoTls))
            .max_size(CONNECTIONS)
            .build()?;
        let count = pool.get().await?.query_one("SELECT count(*) FROM users", &[]).await?;
        let users = Users {
            pool,
            total: count.try_get(0)?,
        };
        let routes = Router::new()
            .route("/v2/user/{id}", get(one))
            .route("/v2/user", get(page))
            .with_state(users);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}", listener.local_addr()?);
        Ok(axum::serve(listener, routes).await?)
    })
}

async fn one(State(users): State<Users>, Path(id): Path<Uuid>) -> Response {
    json(users.one(id).await)
}

async fn page(State(users): State<Users>, RawQuery(query): RawQuery) -> Response {
    json(users.page(&query.unwrap_or_default()).await)
}

impl Users {
    async fn one(&self, id: Uuid) -> Result<String> {
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(USER).await?;
        let row = client
            .query_one(&statement, &[&TEAM.as_bytes().as_slice(), &id.as_bytes().as_slice()])
            .await?;
        Ok(row.try_get(0)?)
    }

    async fn page(&self, query: &str) -> Result<String> {
        let (limit, offset): (i64, i64) = (number(query, "limit=")?, number(query, "offset=")?);
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(PAGE).await?;
        let rows = client
            .query(&statement, &[&TEAM.as_bytes().as_slice(), &limit, &offset])
            .await?;
        let mut body = String::from("{\"users\":[");
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                body.push(',');
            }
            body.push_str(row.try_get(0)?);
        }
        body += &format!("],\"total\":{},\"offset\":{offset},\"limit\":{limit}}}", self.total);
        Ok(body)
    }
}

fn number(query: &str, name: &str) -> Result<i64> {
    let value = query.split('&').find_map(|part| part.strip_prefix(name));
    Ok(value.with_context(|| format!("no {name}"))?.parse()?)
}

fn json(body: Result<String>) -> Response {
    match body {
        Ok(body) => ([(CONTENT_TYPE, "application/json")], Bytes::from(body)).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
