//! Sync status of resources, and historical pulls.

use serde::Serialize;
use wearlab_models::{HistoricalPulls, IntrospectedResources, Uuid};
use wearlab_server::{ApiError, ApiResult, IntrospectionApi, ListHistoricalPullsInput, ListIntrospectedResourcesInput};
use wearlab_store::{IntrospectionFilter, IntrospectionPage, StoreError, TeamId};

use super::auth::Caller;
use super::cursor::Listing;
use super::{Opened, Service, no_user, store_error};

/// Filters of a request, and its position in the list.
#[derive(Serialize)]
struct IntrospectionQuery {
    user_id: Option<Uuid>,
    provider: Option<String>,
    #[serde(skip)]
    user_limit: i64,
    #[serde(skip)]
    next_cursor: Option<String>,
}

/// Creates the query of the input of an operation.
macro_rules! introspection_query {
    ($input:ident) => {
        IntrospectionQuery {
            user_id: $input.user_id,
            provider: $input.provider,
            user_limit: $input.user_limit,
            next_cursor: $input.next_cursor,
        }
    };
}

impl IntrospectionQuery {
    /// Returns the listing of its cursors. `operation` separates two lists.
    fn listing(&self, operation: &str, team: TeamId) -> Listing {
        Listing::new(operation, (team.uuid(), self))
    }

    fn limit(&self) -> usize {
        usize::try_from(self.user_limit).unwrap_or_default()
    }
}

impl IntrospectionApi for Service {
    async fn list_introspected_resources(
        &self,
        team: Caller<TeamId>,
        input: ListIntrospectedResourcesInput,
    ) -> ApiResult<IntrospectedResources> {
        let query = introspection_query!(input);
        let team = team.owner();
        let listing = query.listing("introspected_resources", team);
        let filter = self.introspection_filter(&query, &listing)?;
        let page = self
            .store()?
            .team(team)
            .introspected_resources(&filter, query.limit())
            .await;
        let (users, next) = self.introspected(page, &listing)?;
        let page = IntrospectedResources::builder().data(users).maybe_next_cursor(next);
        Ok(page.build().into())
    }

    async fn list_historical_pulls(
        &self,
        team: Caller<TeamId>,
        input: ListHistoricalPullsInput,
    ) -> ApiResult<HistoricalPulls> {
        let query = introspection_query!(input);
        let team = team.owner();
        let listing = query.listing("historical_pulls", team);
        let filter = self.introspection_filter(&query, &listing)?;
        let page = self.store()?.team(team).historical_pulls(&filter, query.limit()).await;
        let (users, next) = self.introspected(page, &listing)?;
        let page = HistoricalPulls::builder().data(users).maybe_next_cursor(next);
        Ok(page.build().into())
    }
}

impl Service {
    /// Converts a query to a filter of the store.
    fn introspection_filter<'a>(
        &self,
        query: &'a IntrospectionQuery,
        listing: &Listing,
    ) -> Result<IntrospectionFilter<'a>, ApiError> {
        let Opened { cursors, .. } = self.opened()?;
        let after = cursors.after(query.next_cursor.as_deref(), listing)?;
        Ok(IntrospectionFilter {
            user_id: query.user_id,
            provider: query.provider.as_deref(),
            after,
        })
    }

    /// Creates the users of a page, and the cursor of the next one.
    fn introspected<T>(
        &self,
        page: Result<Option<IntrospectionPage<T>>, StoreError>,
        listing: &Listing,
    ) -> Result<(Vec<T>, Option<String>), ApiError> {
        let page = page.map_err(store_error)?.ok_or_else(no_user)?;
        let Opened { cursors, .. } = self.opened()?;
        let next = page.next.map(|after| cursors.seal(&after, listing));
        Ok((page.users, next))
    }
}
