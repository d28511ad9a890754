//! API of the provider: responses from memory, the same for each user.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{OriginalUri, Query, State};
use axum::routing::get;
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use serde::Deserialize;
use tokio::net::TcpListener;

use super::band::{Day, Days, HeartRate};

/// Heart rates of a day.
const HEART_RATES: i64 = 288;

/// API of the provider.
pub(super) struct Server {
    url: String,
    state: Arc<Responses>,
}

#[derive(Default)]
struct Responses {
    bodies: Mutex<HashMap<String, Bytes>>,
    /// Paths of the requests, with their queries.
    requests: Mutex<Vec<String>>,
    /// Requests of a measurement, for the reference.
    kept: Mutex<Vec<String>>,
    /// Time before a response, in ms.
    delay: AtomicU64,
}

#[derive(Deserialize)]
struct Asked {
    first: NaiveDate,
    last: NaiveDate,
}

impl Server {
    pub(super) async fn start() -> Result<Self> {
        let state = Arc::new(Responses::default());
        let router = Router::new().route("/days", get(days)).with_state(Arc::clone(&state));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, state })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the requests since the last call.
    pub(super) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *locked(&self.state.requests))
    }

    /// Keeps requests for the reference.
    pub(super) fn keep(&self, requests: Vec<String>) {
        *locked(&self.state.kept) = requests;
    }

    pub(super) fn kept(&self) -> Vec<String> {
        locked(&self.state.kept).clone()
    }

    /// Sets the time before each response, in ms.
    pub(super) fn delay(&self, milliseconds: u64) {
        self.state.delay.store(milliseconds, Ordering::Relaxed);
    }
}

async fn days(
    State(responses): State<Arc<Responses>>,
    OriginalUri(uri): OriginalUri,
    Query(asked): Query<Asked>,
) -> Bytes {
    let delay = responses.delay.load(Ordering::Relaxed);
    if delay > 0 {
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    let path = uri.to_string();
    locked(&responses.requests).push(path.clone());
    let mut bodies = locked(&responses.bodies);
    bodies.entry(path).or_insert_with(|| body(&asked)).clone()
}

fn body(asked: &Asked) -> Bytes {
    let dates = asked.first.iter_days().take_while(|day| *day <= asked.last);
    let days = Days {
        days: dates.map(day).collect(),
    };
    serde_json::to_vec(&days).unwrap_or_default().into()
}

fn day(day: NaiveDate) -> Day {
    let midnight = day.and_time(NaiveTime::MIN).and_utc();
    let heart_rates = (0..HEART_RATES).map(|number| HeartRate {
        at: midnight + TimeDelta::minutes(5 * number),
        bpm: 55.0 + (number * 7 % 40) as f64,
    });
    Day {
        day,
        steps: 8_000,
        heart_rates: heart_rates.collect(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
