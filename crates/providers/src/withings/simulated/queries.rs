//! Records that requests select.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use wearlab_kit_server::ApiError;

use super::super::generated::models::{
    ActivityPage, ActivityRequest, ActivitySeries, HeartAction, HeartPage, HeartRequest, MeasureGroup,
    MeasureGroupPage, MeasureGroupsRequest, SleepItem, SleepPage, SleepRequest,
};
use super::data::FREQUENCY;
use super::empty::{no_activity, no_heart, no_sleep};
use super::select::{page, with_fields};
use super::simulation::Simulation;

/// Maximum span of samples and stages, in s. What is beyond is left out silently.
const MAX_SPAN: i64 = 86_400;

impl Simulation {
    pub(super) fn groups(&self, form: &MeasureGroupsRequest) -> MeasureGroupPage {
        let types: Vec<_> = form.meastypes.iter().flat_map(|types| types.split(',')).collect();
        let is_wanted = |group: &MeasureGroup| {
            let is_of_category = form.category.is_none_or(|category| group.category == Some(category));
            is_of_category && span(form.startdate, form.enddate).contains(&group.date)
        };
        let (groups, zone) = self.with_data(|data| (data.groups.clone(), data.zone.clone()));
        let groups = groups.into_iter().filter(is_wanted).map(|mut group| {
            group
                .measures
                .retain(|measure| types.is_empty() || types.contains(&measure.type_.to_string().as_str()));
            group
        });
        let page = page(groups.filter(|group| !group.measures.is_empty()).collect(), form.offset);
        MeasureGroupPage {
            updatetime: None,
            timezone: Some(zone),
            measuregrps: page.items,
            more: Some(page.is_more.into()),
            offset: Some(page.offset),
        }
    }

    pub(super) fn activities(&self, form: &ActivityRequest) -> Result<ActivityPage, ApiError> {
        let always = [
            "date",
            "timezone",
            "deviceid",
            "brand",
            "is_tracker",
            "modified",
            "model",
            "modelid",
        ];
        let all = self.with_data(|data| data.activities.clone());
        let days = all
            .into_iter()
            .filter(|day| is_within(form.startdateymd, form.enddateymd, day.date));
        let page = page(days.collect(), form.offset);
        let fields = form.data_fields.as_deref();
        let activities = page.items.iter().map(|day| with_fields(day, fields, &always));
        Ok(ActivityPage {
            activities: activities.collect::<Result<_, _>>()?,
            more: Some(page.is_more),
            offset: Some(page.offset),
            ..no_activity()
        })
    }

    pub(super) fn workouts(&self, form: &ActivityRequest) -> Result<ActivityPage, ApiError> {
        let all = self.with_data(|data| data.workouts.clone());
        let workouts = all.into_iter().filter(|workout| {
            let day = workout.date.unwrap_or_default();
            is_within(form.startdateymd, form.enddateymd, day)
        });
        let mut page = page(workouts.collect(), form.offset);
        for workout in &mut page.items {
            if let Some(data) = &workout.data {
                workout.data = Some(with_fields(data, form.data_fields.as_deref(), &[])?);
            }
        }
        Ok(ActivityPage {
            series: Some(ActivitySeries::Workouts(page.items)),
            more: Some(page.is_more),
            offset: Some(page.offset),
            ..no_activity()
        })
    }

    /// Returns the samples of at most 24 hours. None are an empty list.
    pub(super) fn intraday(&self, form: &ActivityRequest) -> Result<ActivityPage, ApiError> {
        let start = form.startdate.unwrap_or(0);
        let end = form.enddate.unwrap_or(start).min(start + MAX_SPAN);
        let always = ["deviceid", "model", "model_id"];
        let fields = form.data_fields.as_deref();
        let samples: BTreeMap<_, _> = self.with_data(|data| {
            let samples = data.intraday.range(start..=end.max(start));
            let samples = samples.map(|(time, sample)| Ok((time.to_string(), with_fields(sample, fields, &always)?)));
            samples.collect::<Result<_, ApiError>>()
        })?;
        Ok(ActivityPage {
            series: Some(match samples.is_empty() {
                true => ActivitySeries::Workouts(Vec::new()),
                false => ActivitySeries::Samples(samples),
            }),
            ..no_activity()
        })
    }

    pub(super) fn nights(&self, form: &SleepRequest) -> Result<SleepPage, ApiError> {
        let all = self.with_data(|data| data.nights.clone());
        let nights = all.into_iter().filter(|night| {
            let day = night.date.unwrap_or_default();
            is_within(form.startdateymd, form.enddateymd, day)
        });
        let mut page = page(nights.collect(), form.offset);
        for night in &mut page.items {
            if let Some(data) = &night.data {
                night.data = Some(with_fields(data, form.data_fields.as_deref(), &[])?);
            }
        }
        Ok(SleepPage {
            series: page.items.into_iter().map(SleepItem::Night).collect(),
            more: Some(page.is_more),
            offset: Some(page.offset),
        })
    }

    /// Returns the stages of all devices that begin within at most 24 hours.
    pub(super) fn stages(&self, form: &SleepRequest) -> Result<SleepPage, ApiError> {
        let start = form.startdate.unwrap_or(0);
        let end = form.enddate.unwrap_or(start).min(start + MAX_SPAN);
        let always = ["startdate", "enddate", "state", "hash_deviceid"];
        let fields = form.data_fields.as_deref();
        let series: Vec<_> = self.with_data(|data| {
            let stages = data
                .stages
                .iter()
                .filter(|stage| (start..=end).contains(&stage.startdate));
            let stages = stages.map(|stage| with_fields(stage, fields, &always).map(SleepItem::Stage));
            stages.collect::<Result<_, _>>()
        })?;
        Ok(SleepPage { series, ..no_sleep() })
    }

    /// Returns electrocardiograms, or the signal of one. None if it does not exist.
    pub(super) fn heart(&self, form: &HeartRequest) -> Option<HeartPage> {
        if form.action == HeartAction::Get {
            let signal = self.with_data(|data| data.signals.get(&form.signalid?).cloned())?;
            return Some(HeartPage {
                signal,
                sampling_frequency: Some(FREQUENCY),
                wearposition: Some(1),
                ..no_heart()
            });
        }
        let all = self.with_data(|data| data.heart.clone());
        let within = span(form.startdate, form.enddate);
        let page = page(
            all.into_iter()
                .filter(|record| within.contains(&record.timestamp))
                .collect(),
            form.offset,
        );
        Some(HeartPage {
            series: page.items,
            more: Some(page.is_more),
            offset: Some(page.offset),
            ..no_heart()
        })
    }
}

/// Returns the seconds of a request, both ends included.
fn span(start: Option<i64>, end: Option<i64>) -> RangeInclusive<i64> {
    start.unwrap_or(i64::MIN)..=end.unwrap_or(i64::MAX)
}

fn is_within(first: Option<NaiveDate>, last: Option<NaiveDate>, day: NaiveDate) -> bool {
    first.is_none_or(|first| first <= day) && last.is_none_or(|last| day <= last)
}
