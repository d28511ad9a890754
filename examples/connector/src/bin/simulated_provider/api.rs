//! The API: pages of items of some days, and a list of the days that changed.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header::{AUTHORIZATION, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{NaiveDate, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::accounts::{Account, Accounts, PAUSE, Refused};

/// Maximum items or changes of a page.
const ITEMS: usize = 100;
const CHANGES: usize = 5;

#[derive(Deserialize)]
pub(crate) struct Days {
    from: NaiveDate,
    to: NaiveDate,
    page: usize,
}

#[derive(Deserialize)]
pub(crate) struct After {
    after: usize,
}

type Shared = State<Arc<Accounts>>;

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::Token => StatusCode::UNAUTHORIZED.into_response(),
            Self::TooMany => (
                StatusCode::TOO_MANY_REQUESTS,
                [(RETRY_AFTER, PAUSE.as_secs().to_string())],
            )
                .into_response(),
        }
    }
}

/// Reads from the account of a request.
fn of_account<T>(
    accounts: &Accounts,
    headers: &HeaderMap,
    read: impl FnOnce(usize, &Account) -> T,
) -> Result<Json<T>, Refused> {
    let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header
        .and_then(|value| value.strip_prefix("Bearer "))
        .ok_or(Refused::Token)?;
    let number = accounts.request(token)?;
    Ok(Json(read(number, &accounts.state().accounts[number])))
}

pub(crate) async fn position(State(accounts): Shared, headers: HeaderMap) -> Result<Json<usize>, Refused> {
    of_account(&accounts, &headers, |_, account| account.changes.len())
}

pub(crate) async fn changes(
    State(accounts): Shared,
    headers: HeaderMap,
    Query(After { after }): Query<After>,
) -> Result<Json<Value>, Refused> {
    of_account(&accounts, &headers, |_, account| {
        let changes = account.changes.iter().enumerate().skip(after).take(CHANGES);
        let items: Vec<_> = changes
            .map(|(at, (kind, day))| json!({"id": at + 1, "kind": kind, "day": day}))
            .collect();
        let last = after + items.len();
        json!({"items": items, "next": (last < account.changes.len()).then_some(last)})
    })
}

pub(crate) async fn steps(state: Shared, headers: HeaderMap, days: Query<Days>) -> Result<Json<Value>, Refused> {
    items(state, headers, days, "steps", |day, seed| {
        let hour =
            |hour: u64| json!({"at": format!("{day}T{hour:02}:00:00+00:00"), "count": (seed * (hour + 3)) % 977});
        (0..24).map(hour).collect()
    })
}

pub(crate) async fn nights(state: Shared, headers: HeaderMap, days: Query<Days>) -> Result<Json<Value>, Refused> {
    items(state, headers, days, "nights", |day, seed| {
        let (awake, rem, deep) = (seed % 1800, 3600 + seed % 2700, 2400 + seed % 3100);
        let light = 28_800 - awake - rem - deep;
        let night = json!({
            "from": format!("{day}T00:00:00+00:00"), "to": format!("{day}T08:00:00+00:00"), "in_bed": 28_800,
            "asleep": 28_800 - awake, "awake": awake, "light": light, "rem": rem, "deep": deep,
        });
        vec![night]
    })
}

/// Returns a page of items of some days.
fn items(
    State(accounts): Shared,
    headers: HeaderMap,
    Query(Days { from, to, page }): Query<Days>,
    kind: &str,
    of_day: impl Fn(NaiveDate, u64) -> Vec<Value>,
) -> Result<Json<Value>, Refused> {
    of_account(&accounts, &headers, |number, account| {
        // The watch is not worn now and then.
        let days = from
            .iter_days()
            .filter(|day| !seed(number, *day, 0).is_multiple_of(9))
            .take_while(|day| *day <= to.min(Utc::now().date_naive()));
        let all: Vec<_> = days
            .flat_map(|day| {
                let changes = account
                    .changes
                    .iter()
                    .filter(|change| **change == (kind_of(kind), day))
                    .count();
                of_day(day, seed(number, day, changes))
            })
            .collect();
        let items: Vec<_> = all.iter().skip((page - 1) * ITEMS).take(ITEMS).collect();
        json!({"items": items, "next": (page * ITEMS < all.len()).then_some(page + 1)})
    })
}

/// Returns the seed of the values of a day, which differ by account, day, and change.
fn seed(account: usize, day: NaiveDate, changes: usize) -> u64 {
    use chrono::Datelike;
    let day = u64::from(day.num_days_from_ce().unsigned_abs());
    (day * 31 + account as u64 * 7919 + changes as u64 * 104_729) % 1_000_003
}

fn kind_of(name: &str) -> &'static str {
    if name == "steps" { "steps" } else { "nights" }
}

/// Changes days in all accounts, as if watches had synchronised. For tests.
pub(crate) async fn sync(State(accounts): Shared, Json(days): Json<Vec<NaiveDate>>) -> StatusCode {
    let changes: Vec<_> = days
        .into_iter()
        .flat_map(|day| [("steps", day), ("nights", day)])
        .collect();
    for account in &mut accounts.state().accounts {
        account.changes.extend(&changes);
    }
    StatusCode::NO_CONTENT
}

/// Returns the number of requests that were rejected by the rate limit. For tests.
pub(crate) async fn limited(State(accounts): Shared) -> Json<u32> {
    Json(accounts.state().limited)
}
