//! Provider of the benchmark: a day is steps and heart rates.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wearlab_connect::{
    Account, Application, Change, Collection, Encoding, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Profile,
    Provider, Reading, Received, Refusal, Reply, Session, SignatureScheme, Span, Timestamp, TimestampUnit, scopes,
};
use wearlab_models::{ProviderSettings, ResourceName, TokenAuthMethod};

pub(super) const SLUG: &str = "band";
/// Requests at a time.
pub(super) const MAX_CONCURRENT: usize = 128;
/// Headers of a notice.
pub(super) const SIGNATURE: &str = "x-band-signature";
pub(super) const TIMESTAMP: &str = "x-band-timestamp";

static COLLECTIONS: [Collection; 1] = [Collection {
    name: "days",
    resources: &[ResourceName::Activity, ResourceName::Heartrate],
    scopes: &["days"],
    window_days: 10,
    look_back_days: 1,
    pace_seconds: 3600,
    has_history: true,
}];

static PROFILE: Profile = Profile {
    id: 902,
    slug: SLUG,
    name: "Band",
    description: "Bands of the benchmarks.",
    source_type: "watch",
    collections: &COLLECTIONS,
    quotas: &[],
    max_concurrent: MAX_CONCURRENT,
    history_days: 365,
};

const SCHEME: SignatureScheme = SignatureScheme {
    header: SIGNATURE,
    encoding: Encoding::Hex,
    timestamp: Some(Timestamp {
        header: TIMESTAMP,
        unit: TimestampUnit::Seconds,
        tolerance: Duration::from_secs(300),
    }),
};

/// Response with days.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Days {
    pub(super) days: Vec<Day>,
}

/// Day of a user.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Day {
    pub(super) day: NaiveDate,
    pub(super) steps: i64,
    pub(super) heart_rates: Vec<HeartRate>,
}

/// Heart rate in bpm.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct HeartRate {
    pub(super) at: DateTime<Utc>,
    pub(super) bpm: f64,
}

/// Notice that a user has new data.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct News {
    pub(super) user: String,
}

/// The provider.
#[derive(Default)]
pub(super) struct Band {
    notices_url: Mutex<Option<String>>,
}

impl Band {
    /// Returns the URL at which it subscribed to notices.
    pub(super) fn notices_url(&self) -> Option<String> {
        self.notices_url.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Provider for Band {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        ProviderSettings::builder()
            .slug(SLUG)
            .client_id("")
            .authorization_url("https://band.example.com/authorize")
            .token_url("https://band.example.com/token")
            .scopes(scopes(&COLLECTIONS))
            .extra_scopes(Vec::new())
            .token_auth_method(TokenAuthMethod::ClientSecretPost)
            .build()
    }

    /// The access token of the benchmark is the user's id.
    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        async {
            Ok(Account {
                provider_user_id: Some(session.access_token.expose().to_owned()),
            })
        }
        .boxed()
    }

    fn pull<'a>(&'a self, session: &'a Session, _: &'static Collection, span: Span) -> Reply<'a, Vec<Reading>> {
        async move {
            session.permit().await;
            let base_url = session.base_url.as_deref().unwrap_or_default();
            let url = format!("{base_url}/days?first={}&last={}", span.first, span.last);
            let request = session.http.get(url).bearer_auth(session.access_token.expose());
            let unavailable = |_| Refusal::Later(None);
            let body = request
                .send()
                .await
                .map_err(unavailable)?
                .bytes()
                .await
                .map_err(unavailable)?;
            let read: Days = serde_json::from_slice(&body).map_err(|error| Refusal::Failed(error.to_string()))?;
            Ok(read.days.into_iter().flat_map(readings).collect())
        }
        .boxed()
    }

    fn receive(&self, request: &NoticeRequest<'_>, secrets: &NoticeSecrets) -> Received {
        if let Err(reason) = SCHEME.verify(request, &[&secrets.client_secret]) {
            let response = NoticeResponse::new(401);
            return Received::Forged { response, reason };
        }
        let news = serde_json::from_slice::<News>(request.body).ok();
        let unreadable = usize::from(news.is_none());
        let notice = |news: News| Notice {
            provider_user_id: news.user,
            change: Change::Data {
                collections: &["days"],
                days: None,
                document: None,
            },
        };
        Received::Notices {
            response: NoticeResponse::new(204),
            notices: news.into_iter().map(notice).collect(),
            unreadable,
        }
    }

    fn subscribe<'a>(&'a self, application: &'a Application) -> Option<Reply<'a, DateTime<Utc>>> {
        let subscribing = async {
            let url = application.notices_url.expose().to_owned();
            *self.notices_url.lock().unwrap_or_else(PoisonError::into_inner) = Some(url);
            Ok(application.now + TimeDelta::days(1))
        };
        Some(subscribing.boxed())
    }
}

fn readings(day: Day) -> Vec<Reading> {
    let date = day.day;
    let activity = json!({"calendar_date": date, "provider_id": date.to_string(), "steps": day.steps});
    let heart_rates = day.heart_rates.into_iter().map(|rate| {
        let value = json!({"timestamp": rate.at.to_rfc3339(), "value": rate.bpm, "unit": "bpm"});
        Reading::new(ResourceName::Heartrate, date, value)
    });
    let activity = Reading::new(ResourceName::Activity, date, activity);
    std::iter::once(activity).chain(heart_rates).collect()
}
