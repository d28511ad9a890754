//! Time series: pages of samples, and the samples within a session.

use serde::Serialize;
use wearlab_ingest::SampleForm;
use wearlab_models::{
    BloodPressurePage, Encoded, NotePage, ResourceName, SamplePage, SleepStream, Uuid, WorkoutStream,
};
use wearlab_server::{
    ApiResult, GetSleepStreamInput, GetWorkoutStreamInput, ListBloodPressureInput, ListNotesInput, ListSamplesInput,
    Reply, TimeseriesApi,
};
use wearlab_store::{PageLimit, SampleFilter, SamplePosition, TeamId};

use super::auth::Caller;
use super::cursor::Listing;
use super::dates::{Dates, zone};
use super::samples::{page_json, push_samples, resource_of};
use super::{Opened, Service, no_user, store_error, streams};

/// Maximum samples of a page.
const PAGE: usize = 10_000;

/// Filters of a request for samples, and its cursor.
#[derive(Serialize)]
struct SampleQuery {
    user_id: Uuid,
    start_date: String,
    end_date: Option<String>,
    provider: Option<String>,
    #[serde(skip)]
    next_cursor: Option<String>,
}

/// Creates the query of the input of an operation.
macro_rules! sample_query {
    ($input:ident) => {
        SampleQuery {
            user_id: $input.user_id,
            start_date: $input.start_date,
            end_date: $input.end_date,
            provider: $input.provider,
            next_cursor: $input.next_cursor,
        }
    };
}

impl TimeseriesApi for Service {
    async fn list_samples(&self, team: Caller<TeamId>, input: ListSamplesInput) -> ApiResult<SamplePage> {
        let resource = resource_of(input.resource.as_str())?;
        self.samples(team.owner(), resource, sample_query!(input)).await
    }

    async fn list_blood_pressure(
        &self,
        team: Caller<TeamId>,
        input: ListBloodPressureInput,
    ) -> ApiResult<BloodPressurePage> {
        let query = sample_query!(input);
        self.samples(team.owner(), ResourceName::BloodPressure, query).await
    }

    async fn list_notes(&self, team: Caller<TeamId>, input: ListNotesInput) -> ApiResult<NotePage> {
        self.samples(team.owner(), ResourceName::Note, sample_query!(input))
            .await
    }

    async fn get_sleep_stream(&self, team: Caller<TeamId>, input: GetSleepStreamInput) -> ApiResult<SleepStream> {
        let names = ("No such session of sleep.", "/path/sleep_id");
        let series = self
            .session_samples(team.owner(), ResourceName::Sleep, input.sleep_id, names)
            .await?;
        let mut json = streams::samples_json(&series);
        for resource in [
            ResourceName::Heartrate,
            ResourceName::Hrv,
            ResourceName::RespiratoryRate,
        ] {
            streams::push_name(&mut json, resource.as_str());
            push_samples(&mut json, SampleForm::of(&resource), streams::of(&series, &resource));
        }
        json.push(b'}');
        Ok(Reply::Encoded(Encoded::from_stored(json)))
    }

    async fn get_workout_stream(&self, team: Caller<TeamId>, input: GetWorkoutStreamInput) -> ApiResult<WorkoutStream> {
        let names = ("No such workout.", "/path/workout_id");
        let series = self
            .session_samples(team.owner(), ResourceName::Workouts, input.workout_id, names)
            .await?;
        let mut json = streams::samples_json(&series);
        streams::Columns::of(&series).push(&mut json);
        json.push(b'}');
        Ok(Reply::Encoded(Encoded::from_stored(json)))
    }
}

impl Service {
    /// Returns a page of samples, by provider and source.
    async fn samples<P>(&self, team: TeamId, resource: ResourceName, query: SampleQuery) -> ApiResult<P> {
        let user = self.user(team, query.user_id).await?;
        let dates = Dates {
            start: &query.start_date,
            end: query.end_date.as_deref(),
            zone: zone(&user.fallback_time_zone.id),
            now: (self.now)(),
        };
        let [start, end] = dates.span()?;
        let Opened { store, cursors, .. } = self.opened()?;
        let listing = Listing::new("samples", (team.uuid(), resource.as_str(), &query));
        let after: Option<SamplePosition> = cursors.after(query.next_cursor.as_deref(), &listing)?;
        let filter = SampleFilter {
            resource: &resource,
            span: start.timestamp_micros()..end.timestamp_micros(),
            provider: query.provider.as_deref(),
            after: after.as_ref(),
        };
        let limit = PageLimit {
            items: PAGE,
            bytes: self.settings.limits.page_bytes,
        };
        let page = store
            .team(team)
            .samples(query.user_id, &filter, limit)
            .await
            .map_err(store_error)?;
        let page = page.ok_or_else(no_user)?;
        let next = page.next.as_ref().map(|after| cursors.seal(after, &listing));
        let details = self.source_details(team, query.user_id).await?;
        let form = SampleForm::of(&resource);
        let json = page_json(&page, form, next.as_deref(), &details);
        Ok(Reply::Encoded(Encoded::from_stored(json)))
    }
}
