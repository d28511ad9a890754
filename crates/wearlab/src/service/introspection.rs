//! Reads of what came of the data of users.

use serde::Serialize;
use wearlab_models::Uuid;
use wearlab_server::ApiError;
use wearlab_store::{IntrospectionFilter, IntrospectionPage, StoreError, TeamId};

use super::cursor::Listing;
use super::{Opened, Service, no_user, store_error};

/// Of what a page is read.
#[derive(Serialize)]
pub(super) struct IntrospectionQuery {
    pub(super) user_id: Option<Uuid>,
    pub(super) provider: Option<String>,
    #[serde(skip)]
    pub(super) user_limit: i64,
    #[serde(skip)]
    pub(super) next_cursor: Option<String>,
}

impl IntrospectionQuery {
    /// What its cursors are good for. `operation` tells those of two lists apart.
    pub(super) fn listing(&self, operation: &str, team: TeamId) -> Listing {
        Listing::new(operation, (team.uuid(), self))
    }

    pub(super) fn limit(&self) -> usize {
        usize::try_from(self.user_limit).unwrap_or_default()
    }
}

impl Service {
    /// What of a listing a query asks for.
    pub(super) fn introspection_filter<'a>(
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

    /// The users of a page that was read, and the cursor of the next one.
    pub(super) fn introspected<T>(
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
