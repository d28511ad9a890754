//! Client of the provider's API, and the conversion of its data: the file to replace for each provider.

use std::time::Duration;

use chrono::{Days, NaiveDate, Utc};
use reqwest::header::RETRY_AFTER;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Slug of the provider in the catalogue.
pub(crate) const SLUG: &str = "stridewell";
/// Kinds of the provider's data, with their resources.
const KINDS: [(&str, &str); 2] = [("steps", "steps"), ("nights", "sleep")];
/// Number of chunks of a historical pull, a week each: it does not depend on their content.
const CHUNKS: u32 = 12;
const DAYS_OF_A_CHUNK: u64 = 7;
/// Maximum pause that the provider may request. After a longer one, the next round continues.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Progress of one connection: the data from which a pull resumes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Cursor {
    /// Last day of the historical pull, which is also its name.
    history_until: NaiveDate,
    /// Next chunk of the historical pull, from 1.
    chunk: u32,
    /// Provider's position in its list of changes. Later changes are new.
    position: u64,
}

/// Result of one step.
pub(crate) struct Step {
    /// Arrivals of the kind `data`, without the owner of the data.
    pub(crate) data: Vec<Value>,
    /// Cursor after these arrivals are stored.
    pub(crate) next: Cursor,
    /// True if there are no more data for now.
    pub(crate) is_last: bool,
}

/// Reason why the provider's data are unavailable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    /// The user withdrew the consent at the provider, and must give a new one.
    #[error("the provider rejects the access token")]
    Unauthorized,
    #[error("the provider is busy")]
    Busy,
    #[error("the provider responded with {0}")]
    Status(reqwest::StatusCode),
    /// Network error, without the URL, which may have values in its query.
    #[error("the provider did not respond")]
    Transport(#[source] reqwest::Error),
}

#[derive(Deserialize)]
struct Page<T> {
    items: Vec<T>,
    next: Option<u64>,
}

#[derive(Deserialize)]
struct Change {
    /// Position, which grows with each change, and is never used again.
    id: u64,
    kind: String,
    day: NaiveDate,
}

pub(crate) struct Provider {
    http: reqwest::Client,
    url: String,
}

impl Provider {
    pub(crate) fn new(url: String) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(30)).build()?;
        Ok(Self { http, url })
    }

    /// Returns the first cursor of a new connection. The position is read before the history, so that no change is
    /// missed in between.
    pub(crate) async fn begin(&self, token: &str) -> Result<Cursor, ProviderError> {
        let position = self.get::<u64>(token, "position", &[]).await?;
        Ok(Cursor {
            history_until: Utc::now().date_naive(),
            chunk: 1,
            position,
        })
    }

    /// Pulls the next step: a chunk of the history, then pages of changes.
    pub(crate) async fn step(&self, token: &str, cursor: &Cursor) -> Result<Step, ProviderError> {
        match cursor.chunk <= CHUNKS {
            true => self.chunk(token, cursor).await,
            false => self.changes(token, cursor).await,
        }
    }

    async fn chunk(&self, token: &str, cursor: &Cursor) -> Result<Step, ProviderError> {
        let weeks = u64::from(CHUNKS - cursor.chunk);
        let last = cursor.history_until - Days::new(weeks * DAYS_OF_A_CHUNK);
        let first = last - Days::new(DAYS_OF_A_CHUNK - 1);
        let mut data = Vec::new();
        for (kind, resource) in KINDS {
            let values = self.days(token, kind, (first, last)).await?;
            // A chunk without values is sent, too: the pull is complete once all chunks have arrived.
            data.push(json!({
                "resource": resource, "date": last, "source": {"type": "watch"}, "data": values,
                "pull": {"id": cursor.history_until, "chunk": cursor.chunk, "chunks": CHUNKS},
            }));
        }
        let next = Cursor {
            chunk: cursor.chunk + 1,
            ..cursor.clone()
        };
        Ok(Step {
            data,
            next,
            is_last: false,
        })
    }

    async fn changes(&self, token: &str, cursor: &Cursor) -> Result<Step, ProviderError> {
        let after = ("after", cursor.position.to_string());
        let page: Page<Change> = self.get(token, "changes", &[after]).await?;
        let mut data = Vec::new();
        for Change { id, kind, day } in &page.items {
            let Some((kind, resource)) = KINDS.into_iter().find(|(known, _)| known == kind) else {
                continue;
            };
            let values = self.days(token, kind, (*day, *day)).await?;
            data.push(json!({
                "resource": resource, "date": day, "source": {"type": "watch"}, "data": values,
                "arrival_id": format!("{SLUG}-{id}"),
            }));
        }
        let next = Cursor {
            position: page.items.last().map_or(cursor.position, |change| change.id),
            ..cursor.clone()
        };
        Ok(Step {
            data,
            next,
            is_last: page.next.is_none(),
        })
    }

    /// Returns all pages of some days, as values of a resource.
    async fn days(
        &self,
        token: &str,
        kind: &str,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<Vec<Value>, ProviderError> {
        let (mut values, mut page) = (Vec::new(), Some(1));
        while let Some(number) = page {
            let query = [
                ("from", first.to_string()),
                ("to", last.to_string()),
                ("page", number.to_string()),
            ];
            let items: Page<Value> = self.get(token, kind, &query).await?;
            values.extend(items.items.iter().map(|item| value(kind, item)));
            page = items.next;
        }
        Ok(values)
    }

    /// Sends one request, after the pause that the provider requests.
    async fn get<T: DeserializeOwned>(
        &self,
        token: &str,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<T, ProviderError> {
        let url = format!("{}/v1/{path}", self.url);
        let transport = |error: reqwest::Error| ProviderError::Transport(error.without_url());
        loop {
            let request = self.http.get(&url).bearer_auth(token).query(query);
            let response = request.send().await.map_err(transport)?;
            match response.status().as_u16() {
                200 => return response.json().await.map_err(transport),
                401 => return Err(ProviderError::Unauthorized),
                429 | 503 => {
                    let seconds = response
                        .headers()
                        .get(RETRY_AFTER)
                        .and_then(|value| value.to_str().ok()?.parse().ok());
                    let pause = Duration::from_secs(seconds.unwrap_or(1));
                    if pause > LONGEST_PAUSE {
                        return Err(ProviderError::Busy);
                    }
                    tokio::time::sleep(pause).await;
                }
                _ => return Err(ProviderError::Status(response.status())),
            }
        }
    }
}

/// Converts a value of the provider. The document defines the fields and the units of each resource.
fn value(kind: &str, item: &Value) -> Value {
    match kind {
        "steps" => json!({"timestamp": item["at"], "value": item["count"]}),
        _ => json!({
            "bedtime_start": item["from"], "bedtime_stop": item["to"], "type": "long_sleep",
            "duration": item["in_bed"], "total": item["asleep"], "awake": item["awake"],
            "light": item["light"], "rem": item["rem"], "deep": item["deep"],
        }),
    }
}
