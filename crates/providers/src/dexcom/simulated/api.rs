//! Operations of the simulated API.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use wearlab_kit_server::{ApiError, ApiResult};

use super::super::generated::models::{CalibrationList, DataRange, DeviceList, EgvList, EventList, Moment, Span};
use super::super::generated::server::{
    Auth, GetDataRangeInput, ListCalibrationsInput, ListEgvsInput, ListEventsInput, PartialApi,
};
use super::data::Data;
use super::records::{Record, USER};
use crate::simulated::oauth::Grant;

/// Maximum days of a request.
const MAX_DAYS: i64 = 30;

/// Simulated Dexcom of one person. Clones share their state.
pub type Simulation = crate::simulated::simulation::Simulation<Data>;

/// Returns the records of a span of UTC, newest first. Its end is exclusive.
fn between<T: Record + Clone>(records: &[T], start: &str, end: &str) -> Result<Vec<T>, ApiError> {
    let (start, end) = (time(start)?, time(end)?);
    if end - start > TimeDelta::days(MAX_DAYS) {
        return Err(ApiError::bad_request("at most 30 days can be requested"));
    }
    let is_within = |record: &&T| (start..end).contains(&record.utc());
    let mut found: Vec<T> = records.iter().filter(is_within).cloned().collect();
    found.sort_by_key(|record| std::cmp::Reverse(record.utc()));
    Ok(found)
}

/// Reads a day, or a time of UTC.
fn time(text: &str) -> Result<DateTime<Utc>, ApiError> {
    let text = match text.contains('T') {
        true => text.to_owned(),
        false => format!("{text}T00:00:00"),
    };
    let time = NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.f");
    time.map(|time| time.and_utc())
        .map_err(|_| ApiError::bad_request("startDate and endDate must be times without an offset"))
}

/// Returns the span of the records after a time.
fn span<T: Record>(records: &[T], after: Option<DateTime<Utc>>) -> Option<Span> {
    let new = || {
        let is_new = move |record: &&T| after.is_none_or(|after| record.utc() > after);
        records.iter().filter(is_new)
    };
    let moment = |record: &T| Moment {
        system_time: record.system_time().to_owned(),
        display_time: record.display_time().to_owned(),
    };
    Some(Span {
        start: moment(new().min_by_key(|record| record.utc())?),
        end: moment(new().max_by_key(|record| record.utc())?),
    })
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

impl Auth for Simulation {
    type Oauth = Grant;

    async fn oauth(&self, credential: &str) -> Result<Grant, ApiError> {
        self.authenticate(credential)
    }
}

impl PartialApi for Simulation {
    async fn get_data_range(&self, _: Grant, input: GetDataRangeInput) -> ApiResult<DataRange> {
        let after = input.last_sync_time.map(|time| time.to_utc());
        let range = self.with_data(|data| DataRange {
            record_type: text("dataRange"),
            record_version: text("3.0"),
            user_id: USER.to_owned(),
            calibrations: span(&data.calibrations, after),
            egvs: span(&data.egvs, after),
            events: span(&data.events, after),
        });
        Ok(range.into())
    }

    async fn list_devices(&self, _: Grant) -> ApiResult<DeviceList> {
        let devices = DeviceList {
            record_type: text("device"),
            record_version: text("3.0"),
            user_id: USER.to_owned(),
            records: self.with_data(|data| data.devices.clone()),
        };
        Ok(devices.into())
    }

    async fn list_egvs(&self, _: Grant, input: ListEgvsInput) -> ApiResult<EgvList> {
        let records = self.with_data(|data| between(&data.egvs, &input.start_date, &input.end_date))?;
        let list = EgvList {
            record_type: text("egv"),
            record_version: text("3.0"),
            user_id: USER.to_owned(),
            records,
        };
        Ok(list.into())
    }

    async fn list_calibrations(&self, _: Grant, input: ListCalibrationsInput) -> ApiResult<CalibrationList> {
        let records = self.with_data(|data| between(&data.calibrations, &input.start_date, &input.end_date))?;
        let list = CalibrationList {
            record_type: text("calibration"),
            record_version: text("3.0"),
            user_id: USER.to_owned(),
            records,
        };
        Ok(list.into())
    }

    async fn list_events(&self, _: Grant, input: ListEventsInput) -> ApiResult<EventList> {
        let records = self.with_data(|data| between(&data.events, &input.start_date, &input.end_date))?;
        let list = EventList {
            record_type: text("event"),
            record_version: text("3.0"),
            user_id: USER.to_owned(),
            records,
        };
        Ok(list.into())
    }
}
