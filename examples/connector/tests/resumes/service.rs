//! Service of the test: users who linked the provider, and reads of their data.

use chrono::{DateTime, Days, FixedOffset, NaiveDate, Utc};
use serde_json::Value;
use wearlab_client::models::Uuid;
use wearlab_store::StoreError;
use wearlab_tests::{Running, linked};

use crate::processes::Simulation;

/// User with the provider's token.
pub(crate) struct Linked {
    pub(crate) user: Uuid,
    pub(crate) token: String,
}

/// Links users of the sample with the provider.
pub(crate) async fn link_users(running: &Running, simulation: &Simulation, count: usize) -> Vec<Linked> {
    let client = running.client();
    let mut users = client.list_users().stream();
    let mut linked = Vec::new();
    while linked.len() < count {
        let user = users.try_next().await.expect("a page").expect("enough users");
        if user.user_id == running.sample.user_id {
            continue;
        }
        let user = Linked {
            user: user.user_id,
            token: simulation.consent().await,
        };
        link(running, &user).await;
        linked.push(user);
    }
    linked
}

/// Adds a connection of a user with the provider, and its token.
pub(crate) async fn link(running: &Running, Linked { user, token }: &Linked) {
    let sample = &running.sample;
    let put = running.store.write(|write| {
        let team = write
            .team(sample.team_id)?
            .ok_or(StoreError::Missing { what: "team" })?;
        linked::put_with_token(write, &sample.org_id, team, *user, "stridewell", token)
    });
    put.await.expect("a connection");
}

/// Parses a time in any notation.
pub(crate) fn instant(value: &Value) -> DateTime<FixedOffset> {
    value.as_str().expect("text").parse().expect("a time")
}

/// Returns the steps of a user from a day on, in order.
pub(crate) async fn steps(running: &Running, user: Uuid, first: NaiveDate) -> Vec<(DateTime<FixedOffset>, Value)> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/v2/timeseries/{user}/steps/grouped?{}{cursor}", span(first));
        let page = running.json(&path).await;
        for group in page["groups"]["stridewell"].as_array().expect("a group") {
            let samples = group["data"].as_array().expect("samples");
            all.extend(
                samples
                    .iter()
                    .map(|sample| (instant(&sample["timestamp"]), sample["value"].clone())),
            );
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&next_cursor={next}"),
            None => return all,
        }
    }
}

/// Returns the query: days of the user's time zone, which may begin before those of the provider, and end after them.
fn span(first: NaiveDate) -> String {
    let (first, last) = (first - Days::new(1), Utc::now().date_naive() + Days::new(1));
    format!("start_date={first}&end_date={last}&provider=stridewell")
}

/// Returns the nights of a user from a day on, in order.
pub(crate) async fn nights(running: &Running, user: Uuid, first: NaiveDate) -> Vec<Value> {
    let path = format!("/v2/summary/sleep/{user}?{}", span(first));
    let mut found = running.json(&path).await["sleep"].as_array().expect("a list").clone();
    found.sort_by_key(|night| instant(&night["bedtime_start"]));
    found
}
