//! Requests to the API, with all pages.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use wearlab_connect::{Refusal, Session, pages};

use super::generated::client::Client;
use super::generated::models::{
    Activity, ActivityAction, ActivityPage, ActivityRequest, ActivitySeries, HeartAction, HeartPage, HeartRecord,
    HeartRequest, IntradaySample, MeasureGroup, MeasureGroupsRequest, MeasureType, Night, SleepAction, SleepItem,
    SleepPage, SleepRequest, Stage, Workout,
};
use super::status::body;

/// Maximum span of a request for stages, in s.
const MAX_SPAN: i64 = 86_400;
/// Maximum length of a night, in s. The start or the end of a longer one is wrong.
const MAX_NIGHT: i64 = 3 * 86_400;
/// Category of what was measured; 2 are goals.
const MEASURED: i64 = 1;

// Without a list of fields, most values are missing.
const ACTIVITY_FIELDS: &str =
    "steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max";
const INTRADAY_FIELDS: &str =
    "steps,distance,elevation,calories,duration,heart_rate,spo2_auto,rmssd,rr,core_body_temperature";
const WORKOUT_FIELDS: &str = "calories,manual_calories,distance,manual_distance,steps,hr_average,hr_max,hr_zone_0,\
                              hr_zone_1,hr_zone_2,hr_zone_3,pause_duration";
const NIGHT_FIELDS: &str = "total_timeinbed,total_sleep_time,asleepduration,lightsleepduration,deepsleepduration,\
                            remsleepduration,wakeupduration,sleep_efficiency,sleep_latency,sleep_score,hr_average,\
                            hr_min,rr_average,rmssd_start_avg,rmssd_end_avg";
const STAGE_FIELDS: &str = "hr,rr,rmssd";

/// Requests for the data of one user.
pub(super) struct Requests<'a> {
    session: &'a Session,
    client: Client,
}

/// Items of a page, and the offset of the next one.
type Page<T> = (Vec<T>, Option<i64>);

impl<'a> Requests<'a> {
    pub(super) fn new(session: &'a Session, client: Client) -> Self {
        Self { session, client }
    }

    /// Reads groups of measures of some types, with the name of the time zone.
    pub(super) async fn measures(
        &self,
        types: &[MeasureType],
        start: i64,
        end: i64,
    ) -> Result<Vec<(MeasureGroup, Option<String>)>, Refusal> {
        let types: Vec<_> = types.iter().map(ToString::to_string).collect();
        let form = MeasureGroupsRequest {
            meastypes: Some(types.join(",")),
            category: Some(MEASURED),
            startdate: Some(start),
            enddate: Some(end),
            ..MeasureGroupsRequest::default()
        };
        self.all(|offset| {
            let form = MeasureGroupsRequest { offset, ..form.clone() };
            async move {
                let response = self.client.list_measure_groups(form).send().await?.into_inner();
                let page = body(response.status, response.error.as_deref(), response.body)?;
                let next = next(page.more == Some(1), page.offset)?;
                let groups = page.measuregrps.into_iter();
                Ok((groups.map(|group| (group, page.timezone.clone())).collect(), next))
            }
        })
        .await
    }

    /// Reads days of activity.
    pub(super) async fn activities(&self, first: NaiveDate, last: NaiveDate) -> Result<Vec<Activity>, Refusal> {
        let form = ActivityRequest {
            startdateymd: Some(first),
            enddateymd: Some(last),
            data_fields: Some(ACTIVITY_FIELDS.to_owned()),
            ..ActivityRequest::new(ActivityAction::GetActivity)
        };
        self.all(|offset| {
            let form = ActivityRequest { offset, ..form.clone() };
            async move {
                let page = self.activity_page(form).await?;
                let next = next(page.more == Some(true), page.offset)?;
                Ok((page.activities, next))
            }
        })
        .await
    }

    /// Reads workouts.
    pub(super) async fn workouts(&self, first: NaiveDate, last: NaiveDate) -> Result<Vec<Workout>, Refusal> {
        let form = ActivityRequest {
            startdateymd: Some(first),
            enddateymd: Some(last),
            data_fields: Some(WORKOUT_FIELDS.to_owned()),
            ..ActivityRequest::new(ActivityAction::GetWorkouts)
        };
        self.all(|offset| {
            let form = ActivityRequest { offset, ..form.clone() };
            async move {
                let page = self.activity_page(form).await?;
                let next = next(page.more == Some(true), page.offset)?;
                let workouts = match page.series {
                    None => Vec::new(),
                    Some(ActivitySeries::Workouts(workouts)) => workouts,
                    Some(ActivitySeries::Samples(samples)) if samples.is_empty() => Vec::new(),
                    Some(_) => return Err(unreadable("workouts")),
                };
                Ok((workouts, next))
            }
        })
        .await
    }

    /// Reads samples of a day, by their time.
    pub(super) async fn intraday(&self, start: i64, end: i64) -> Result<BTreeMap<String, IntradaySample>, Refusal> {
        self.session.permit().await;
        let form = ActivityRequest {
            startdate: Some(start),
            enddate: Some(end),
            data_fields: Some(INTRADAY_FIELDS.to_owned()),
            ..ActivityRequest::new(ActivityAction::GetIntradayActivity)
        };
        match self.activity_page(form).await?.series {
            None => Ok(BTreeMap::new()),
            Some(ActivitySeries::Samples(samples)) => Ok(samples),
            Some(ActivitySeries::Workouts(none)) if none.is_empty() => Ok(BTreeMap::new()),
            Some(_) => Err(unreadable("samples")),
        }
    }

    async fn activity_page(&self, form: ActivityRequest) -> Result<ActivityPage, Refusal> {
        let response = self.client.query_activity(form).send().await?.into_inner();
        body(response.status, response.error.as_deref(), response.body)
    }

    /// Reads nights. Those whose length cannot be right are left out, with a warning in the log.
    pub(super) async fn nights(&self, first: NaiveDate, last: NaiveDate) -> Result<Vec<Night>, Refusal> {
        let form = SleepRequest {
            startdateymd: Some(first),
            enddateymd: Some(last),
            data_fields: Some(NIGHT_FIELDS.to_owned()),
            ..SleepRequest::new(SleepAction::GetSummary)
        };
        let nights = self.all(|offset| {
            let form = SleepRequest { offset, ..form.clone() };
            async move {
                let page = self.sleep_page(form).await?;
                let next = next(page.more == Some(true), page.offset)?;
                let nights = page.series.into_iter().map(|item| match item {
                    SleepItem::Night(night) => Ok(night),
                    _ => Err(unreadable("nights")),
                });
                Ok((nights.collect::<Result<_, _>>()?, next))
            }
        });
        let mut nights: Vec<Night> = nights.await?;
        let all = nights.len();
        nights.retain(|night| night.enddate.saturating_sub(night.startdate) <= MAX_NIGHT);
        if nights.len() < all {
            tracing::warn!(
                provider = "withings",
                resource = "nights",
                records = all - nights.len(),
                reason = "a night is longer than 3 days",
                "records of a provider are left out, since they cannot be right"
            );
        }
        Ok(nights)
    }

    /// Reads the stages of a night, in order. Those of another device are left out.
    pub(super) async fn stages(&self, night: &Night) -> Result<Vec<Stage>, Refusal> {
        let mut stages = Vec::new();
        let mut start = night.startdate;
        while start < night.enddate {
            let end = night.enddate.min(start.saturating_add(MAX_SPAN));
            let form = SleepRequest {
                startdate: Some(start),
                enddate: Some(end),
                data_fields: Some(STAGE_FIELDS.to_owned()),
                ..SleepRequest::new(SleepAction::Get)
            };
            self.session.permit().await;
            for item in self.sleep_page(form).await?.series {
                match item {
                    SleepItem::Stage(stage) => stages.push(stage),
                    _ => return Err(unreadable("stages")),
                }
            }
            start = end;
        }
        let of_night = night.hash_deviceid.as_ref();
        stages.retain(|stage| {
            of_night
                .zip(stage.hash_deviceid.as_ref())
                .is_none_or(|(one, other)| one == other)
        });
        stages.sort_by_key(|stage| (stage.startdate, stage.enddate));
        Ok(stages)
    }

    async fn sleep_page(&self, form: SleepRequest) -> Result<SleepPage, Refusal> {
        let response = self.client.query_sleep(form).send().await?.into_inner();
        body(response.status, response.error.as_deref(), response.body)
    }

    /// Reads measurements of the heart.
    pub(super) async fn heart_records(&self, start: i64, end: i64) -> Result<Vec<HeartRecord>, Refusal> {
        self.all(|offset| async move {
            let form = HeartRequest {
                startdate: Some(start),
                enddate: Some(end),
                offset,
                ..HeartRequest::new(HeartAction::List)
            };
            let page = self.heart_page(form).await?;
            let next = next(page.more == Some(true), page.offset)?;
            Ok((page.series, next))
        })
        .await
    }

    /// Reads the signal of an electrocardiogram.
    pub(super) async fn signal(&self, id: i64) -> Result<HeartPage, Refusal> {
        self.session.permit().await;
        let form = HeartRequest {
            signalid: Some(id),
            ..HeartRequest::new(HeartAction::Get)
        };
        self.heart_page(form).await
    }

    async fn heart_page(&self, form: HeartRequest) -> Result<HeartPage, Refusal> {
        let response = self.client.query_heart(form).send().await?.into_inner();
        body(response.status, response.error.as_deref(), response.body)
    }

    /// Reads the items of all pages. `page` gets the offset of a page, none for the first.
    async fn all<T, F>(&self, page: impl Fn(Option<i64>) -> F) -> Result<Vec<T>, Refusal>
    where
        F: Future<Output = Result<Page<T>, Refusal>>,
    {
        pages(|token| {
            let page = page(token.and_then(|token| token.parse().ok()));
            async move {
                self.session.permit().await;
                let (items, next) = page.await?;
                Ok((items, next.map(|offset| offset.to_string())))
            }
        })
        .await
    }
}

/// Returns the offset of the next page, if there is one.
fn next(is_more: bool, offset: Option<i64>) -> Result<Option<i64>, Refusal> {
    match (is_more, offset) {
        (false, _) => Ok(None),
        (true, Some(offset)) => Ok(Some(offset)),
        (true, None) => Err(Refusal::Failed("a page with a next one has no offset".to_owned())),
    }
}

fn unreadable(expected: &str) -> Refusal {
    Refusal::Failed(format!("body.series: expected {expected}"))
}
