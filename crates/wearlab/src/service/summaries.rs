//! Reads of summaries.

use jiff::tz::TimeZone;
use serde::Serialize;
use wearlab_ingest::ExactObject;
use wearlab_models::{Encoded, ProfileSummary, ResourceName, User, Uuid};
use wearlab_server::{ApiError, ApiResult, Reply};
use wearlab_store::TeamId;

use super::dates::{Dates, are_days, zone};
use super::{Service, encoded, no_user, store_error};

/// What summaries a request is about.
pub(super) struct SummaryQuery {
    pub(super) user_id: Uuid,
    pub(super) start_date: String,
    pub(super) end_date: Option<String>,
    pub(super) provider: Option<String>,
}

impl Service {
    /// A list of summaries of some days. `envelope` is the list without them, and `field` the field that they are in.
    pub(super) async fn summaries<L: Serialize>(
        &self,
        team: TeamId,
        resource: ResourceName,
        query: SummaryQuery,
        envelope: L,
        field: &'static str,
    ) -> ApiResult<L> {
        let (start, end) = (&query.start_date, query.end_date.as_deref());
        let zone = match are_days(start, end) {
            true => TimeZone::UTC,
            false => zone(&self.user(team, query.user_id).await?.fallback_time_zone.id),
        };
        let now = (self.now)();
        let dates = Dates { start, end, zone, now };
        let [first, last] = dates.days()?;
        let store = self.store()?.team(team);
        let summaries = store
            .summaries::<ExactObject>(query.user_id, &resource, first..=last, query.provider.as_deref())
            .await
            .map_err(store_error)?;
        let details = self.source_details(team, query.user_id).await?;
        let summaries = summaries.ok_or_else(no_user)?.into_iter();
        let summaries: Vec<_> = summaries
            .map(|summary| details.within(summary))
            .collect::<Result<_, _>>()?;
        encoded(Encoded::with_list(&envelope, field, &summaries))
    }

    /// The profile of a user that changed last.
    pub(super) async fn profile(
        &self,
        team: TeamId,
        user_id: Uuid,
        provider: Option<String>,
    ) -> ApiResult<ProfileSummary> {
        let store = self.store()?.team(team);
        let profile = store.profile(user_id, provider.as_deref()).await.map_err(store_error)?;
        let profile = profile.ok_or_else(no_user)?;
        let profile = profile.ok_or_else(|| ApiError::not_found("The user has no profile."))?;
        let details = self.source_details(team, user_id).await?;
        details.within(profile).map(Reply::Encoded)
    }

    /// A user of the team.
    pub(super) async fn user(&self, team: TeamId, user_id: Uuid) -> Result<User, ApiError> {
        let user = self.store()?.team(team).user(user_id).await.map_err(store_error)?;
        let user = user.ok_or_else(no_user)?;
        serde_json::from_slice(user.as_bytes()).map_err(ApiError::internal)
    }
}
