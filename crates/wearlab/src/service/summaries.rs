//! Reads of summaries.

use futures_util::stream;
use jiff::tz::TimeZone;
use serde::Serialize;
use wearlab_ingest::ExactObject;
use wearlab_models::{Encoded, ProfileSummary, ResourceName, User, Uuid};
use wearlab_server::{ApiError, ApiResult, Reply};
use wearlab_store::{SummaryList, TeamId};

use super::dates::{Dates, are_days, zone};
use super::{Service, encoded, no_user, parts, store_error};

/// What summaries a request is about.
pub(super) struct SummaryQuery {
    pub(super) user_id: Uuid,
    pub(super) start_date: String,
    pub(super) end_date: Option<String>,
    pub(super) provider: Option<String>,
}

impl Service {
    /// A list of summaries of some days. `envelope` is the list without them, and `field` the field that they are in.
    ///
    /// A list that is too long to be in memory is sent in parts. A summary that changes meanwhile is the one or the other, and
    /// none is there twice.
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
        let (provider, most) = (query.provider.as_deref(), self.settings.limits.page_bytes);
        let list = store
            .summary_list::<ExactObject>(query.user_id, &resource, first..=last, provider, most)
            .await
            .map_err(store_error)?;
        let details = self.source_details(team, query.user_id).await?;
        let of = resource.clone();
        let within = move |summaries: Vec<Encoded<ExactObject>>| -> Result<Vec<_>, ApiError> {
            let presented = summaries.into_iter().map(|summary| details.presented(&of, summary));
            presented.collect()
        };
        let ids = match list.ok_or_else(no_user)? {
            SummaryList::Whole(summaries) => {
                return encoded(Encoded::with_list(&envelope, field, &within(summaries)?));
            }
            SummaryList::Ids(ids) => ids,
        };
        let (store, user_id) = (self.store()?.clone(), query.user_id);
        let pages = stream::try_unfold((ids, 0), move |(ids, at)| {
            let (store, resource, within) = (store.clone(), resource.clone(), within.clone());
            async move {
                if at == ids.len() {
                    return Ok(None);
                }
                let part = store
                    .team(team)
                    .some_summaries(user_id, &resource, &ids[at..], most)
                    .await;
                let (summaries, count) = part.map_err(store_error)?;
                Ok(Some((within(summaries)?, (ids, at + count))))
            }
        });
        parts::list(&envelope, field, pages).map(Reply::Parts)
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
        details.presented(&ResourceName::Profile, profile).map(Reply::Encoded)
    }

    /// A user of the team.
    pub(super) async fn user(&self, team: TeamId, user_id: Uuid) -> Result<User, ApiError> {
        let user = self.store()?.team(team).user(user_id).await.map_err(store_error)?;
        let user = user.ok_or_else(no_user)?;
        serde_json::from_slice(user.as_bytes()).map_err(ApiError::internal)
    }
}
