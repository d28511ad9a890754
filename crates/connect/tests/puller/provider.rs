//! Provider of the tests: its data, and its faults.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::NaiveDate;
use futures_util::FutureExt;
use serde_json::json;
use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Refusal, Reply, Session, Span, scopes};
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
}

/// Fault of a call.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    None,
    Refused(Refusal),
    /// The call takes longer than its caller lives.
    Hangs,
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

    pub(crate) fn calls(&self) -> Vec<(&'static str, Span)> {
        std::mem::take(&mut self.state().calls)
    }

    async fn fault(&self) -> Result<(), Refusal> {
        let fault = self.state().faults.pop();
        match fault {
            None | Some(Fault::None) => Ok(()),
            Some(Fault::Refused(refusal)) => Err(refusal),
            Some(Fault::Hangs) => {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                Ok(())
            }
        }
    }
}

impl Provider for Ringlet {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        ProviderSettings::builder()
            .slug(SLUG)
            .client_id("")
            .authorization_url("https://ringlet.example.com/authorize")
            .token_url("https://ringlet.example.com/token")
            .scopes(scopes(&COLLECTIONS))
            .extra_scopes(Vec::new())
            .token_auth_method(TokenAuthMethod::ClientSecretPost)
            .build()
    }

    fn account<'a>(&'a self, _: &'a Session) -> Reply<'a, Account> {
        async {
            self.fault().await?;
            Ok(Account {
                provider_user_id: Some("user-7".to_owned()),
            })
        }
        .boxed()
    }

    fn pull<'a>(&'a self, _: &'a Session, collection: &'static Collection, span: Span) -> Reply<'a, Vec<Reading>> {
        async move {
            self.state().calls.push((collection.name, span));
            self.fault().await?;
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
            Ok(readings.chain(reversed).collect())
        }
        .boxed()
    }
}
