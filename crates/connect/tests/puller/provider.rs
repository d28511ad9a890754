//! Provider of the tests: its data, and its faults.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Notify;
use wearlab_connect::{
    Account, Application, Change, Collection, Document, Encoding, Notice, NoticeRequest, NoticeResponse, NoticeSecrets,
    Profile, Provider, Reading, Received, Refusal, Reply, Session, SignatureScheme, Span, Timestamp, TimestampUnit,
    scopes,
};
use wearlab_models::{ProviderSettings, ResourceName, TokenAuthMethod};

pub(crate) const SLUG: &str = "ringlet";

/// Days of history.
pub(crate) const HISTORY_DAYS: u32 = 70;

static COLLECTIONS: [Collection; 2] = [
    Collection {
        name: "activity",
        resources: &[ResourceName::Activity],
        scopes: &["daily"],
        window_days: 30,
        look_back_days: 7,
        pace_seconds: 3600,
        has_history: true,
    },
    Collection {
        name: "heart",
        resources: &[ResourceName::Heartrate, ResourceName::Hrv],
        scopes: &["heart"],
        window_days: 10,
        look_back_days: 3,
        pace_seconds: 900,
        has_history: true,
    },
];

static PROFILE: Profile = Profile {
    id: 900,
    slug: SLUG,
    name: "Ringlet",
    description: "Rings of the tests.",
    source_type: "ring",
    collections: &COLLECTIONS,
    quotas: &[],
    max_concurrent: 8,
    history_days: HISTORY_DAYS,
};

/// Provider with one user: its data, and the faults of the next calls.
#[derive(Default)]
pub(crate) struct Ringlet {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Steps and heart rate of each day.
    days: BTreeMap<NaiveDate, (i64, i64)>,
    /// Days with a value that ends before it begins.
    reversed: BTreeSet<NaiveDate>,
    /// Faults, the next one last.
    faults: Vec<Fault>,
    calls: Vec<(&'static str, Span)>,
    /// URLs of the subscriptions that were made.
    subscriptions: Vec<String>,
}

const SIGNATURE: SignatureScheme = SignatureScheme {
    header: "x-ringlet-signature",
    encoding: Encoding::Base64,
    timestamp: Some(Timestamp {
        header: "x-ringlet-timestamp",
        unit: TimestampUnit::Seconds,
        tolerance: Duration::from_secs(300),
    }),
};

/// Notice as the provider sends it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Corrected {
        user: String,
        day: NaiveDate,
    },
    Recorded {
        user: String,
        day: NaiveDate,
    },
    Changed {
        user: String,
        days: Option<(NaiveDate, NaiveDate)>,
    },
    Deleted {
        user: String,
        day: NaiveDate,
    },
    Ended {
        user: String,
        at: DateTime<Utc>,
    },
}

fn document(day: NaiveDate) -> Document {
    Document {
        resources: &[ResourceName::Activity],
        provider_id: day.to_string(),
    }
}

impl From<Event> for Notice {
    fn from(event: Event) -> Self {
        let (provider_user_id, change) = match event {
            Event::Changed { user, days } => (
                user,
                Change::Data {
                    collections: &["activity", "heart"],
                    days: days.map(|(first, last)| Span { first, last }),
                    document: None,
                },
            ),
            Event::Corrected { user, day } => (
                user,
                Change::Data {
                    collections: &["activity"],
                    days: None,
                    document: Some(document(day)),
                },
            ),
            Event::Recorded { user, day } => (
                user,
                Change::Document {
                    collections: &["activity"],
                    document: document(day),
                },
            ),
            Event::Deleted { user, day } => (
                user,
                Change::Deleted {
                    collection: "activity",
                    document: document(day),
                },
            ),
            Event::Ended { user, at } => (user, Change::Deauthorised { at }),
        };
        Self {
            provider_user_id,
            change,
        }
    }
}

/// Fault of a call.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    None,
    Refused(Refusal),
    /// The call takes longer than its caller lives.
    Hangs,
    /// The data are read, and the response waits.
    Late(Arc<Notify>),
}

/// Returns the OAuth settings of a provider of the tests.
pub(crate) fn settings(slug: &str, collections: &[Collection]) -> ProviderSettings {
    ProviderSettings::builder()
        .slug(slug)
        .client_id("")
        .authorization_url(format!("https://{slug}.example.com/authorize"))
        .token_url(format!("https://{slug}.example.com/token"))
        .scopes(scopes(collections))
        .extra_scopes(Vec::new())
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .build()
}

impl Ringlet {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, day: NaiveDate, steps: i64, heart_rate: i64) {
        self.state().days.insert(day, (steps, heart_rate));
    }

    pub(crate) fn remove(&self, day: NaiveDate) {
        self.state().days.remove(&day);
    }

    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.state().subscriptions.clone()
    }

    pub(crate) fn reverse(&self, day: NaiveDate) {
        self.state().reversed.insert(day);
    }

    pub(crate) fn steps(&self) -> BTreeMap<NaiveDate, i64> {
        self.state()
            .days
            .iter()
            .map(|(day, (steps, _))| (*day, *steps))
            .collect()
    }

    pub(crate) fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        let mut faults: Vec<_> = faults.into_iter().collect();
        faults.reverse();
        self.state().faults = faults;
    }

    /// True until calls had all faults.
    pub(crate) fn has_faults(&self) -> bool {
        !self.state().faults.is_empty()
    }

    pub(crate) fn calls(&self) -> Vec<(&'static str, Span)> {
        std::mem::take(&mut self.state().calls)
    }

    /// Has the next fault. Returns what the response waits for.
    async fn fault(&self) -> Result<Option<Arc<Notify>>, Refusal> {
        let fault = self.state().faults.pop();
        match fault {
            None | Some(Fault::None) => Ok(None),
            Some(Fault::Late(response)) => Ok(Some(response)),
            Some(Fault::Refused(refusal)) => Err(refusal),
            Some(Fault::Hangs) => {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                Ok(None)
            }
        }
    }
}

impl Provider for Ringlet {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings(SLUG, &COLLECTIONS)
    }

    fn account<'a>(&'a self, _: &'a Session) -> Reply<'a, Account> {
        async {
            if let Some(response) = self.fault().await? {
                response.notified().await;
            }
            Ok(Account {
                provider_user_id: Some("user-7".to_owned()),
            })
        }
        .boxed()
    }

    fn pull<'a>(&'a self, _: &'a Session, collection: &'static Collection, span: Span) -> Reply<'a, Vec<Reading>> {
        async move {
            self.state().calls.push((collection.name, span));
            let late = self.fault().await?;
            let readings = self.read(collection, span);
            if let Some(response) = late {
                response.notified().await;
            }
            Ok(readings)
        }
        .boxed()
    }

    fn day_of<'a>(
        &'a self,
        _: &'a Session,
        collection: &'static Collection,
        provider_id: &'a str,
    ) -> Reply<'a, Option<NaiveDate>> {
        async move {
            assert_eq!(collection.name, "activity");
            self.fault().await?;
            let day: NaiveDate = provider_id.parse().map_err(|_| Refusal::NotFound)?;
            let is_known = self.state().days.contains_key(&day);
            is_known.then_some(Some(day)).ok_or(Refusal::NotFound)
        }
        .boxed()
    }

    fn receive(&self, request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
        if let Err(reason) = SIGNATURE.verify(request, &[&secrets.client_secret]) {
            let response = NoticeResponse::new(401);
            return Received::Forged { response, reason };
        }
        let read = serde_json::from_slice::<Vec<serde_json::Value>>(request.body).unwrap_or_default();
        let (events, others): (Vec<_>, Vec<_>) = read
            .into_iter()
            .map(serde_json::from_value::<Event>)
            .partition(Result::is_ok);
        Received::Notices {
            response: NoticeResponse::new(204),
            notices: events.into_iter().flatten().map(Notice::from).collect(),
            unreadable: others.len(),
        }
    }

    fn subscribe<'a>(&'a self, application: &'a Application) -> Option<Reply<'a, DateTime<Utc>>> {
        let subscribing = async {
            self.fault().await?;
            let url = application.notices_url.expose().to_owned();
            self.state().subscriptions.push(url);
            Ok(application.now + TimeDelta::days(1))
        };
        Some(subscribing.boxed())
    }
}

impl Ringlet {
    fn read(&self, collection: &Collection, span: Span) -> Vec<Reading> {
        let state = self.state();
        let days = state.days.range(span.first..=span.last);
        let readings = days.map(|(day, (steps, heart_rate))| match collection.name {
            "activity" => Reading::new(
                ResourceName::Activity,
                *day,
                json!({"calendar_date": day, "provider_id": day.to_string(), "steps": steps}),
            ),
            _ => Reading::new(
                ResourceName::Heartrate,
                *day,
                json!({"timestamp": format!("{day}T12:00:00+00:00"), "value": heart_rate, "unit": "bpm"}),
            ),
        });
        let reversed = state.reversed.range(span.first..=span.last);
        let reversed = reversed.filter(|_| collection.name == "heart").map(|day| {
            let (start, end) = (format!("{day}T09:00:00+00:00"), format!("{day}T08:00:00+00:00"));
            Reading::new(
                ResourceName::Heartrate,
                *day,
                json!({"timestamp": start, "start": start, "end": end, "value": 50, "unit": "bpm"}),
            )
        });
        readings.chain(reversed).collect()
    }
}
