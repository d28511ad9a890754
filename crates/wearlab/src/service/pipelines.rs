//! Reads of the pipelines of an organisation.

use wearlab_models::PipelineList;
use wearlab_server::{ApiError, ApiResult, ListTeamPipelinesInput};
use wearlab_store::{OrganisationId, PipelineFilter};

use super::cursor::Listing;
use super::{Opened, Service, store_error};
use crate::served;

/// The pipelines of a page.
const PAGE: usize = 50;

impl Service {
    /// A page of the pipelines of an organisation in an environment and a region.
    pub(super) async fn pipelines(
        &self,
        organisation: OrganisationId,
        input: ListTeamPipelinesInput,
    ) -> ApiResult<PipelineList> {
        if organisation.as_str() != input.org_id {
            return Err(ApiError::not_found("No such organisation."));
        }
        let (env, region, team_id) = (input.env, input.region, input.team_id);
        let listing = Listing::new("pipelines", (organisation.as_str(), env, region, team_id));
        let Opened { store, cursors } = self.opened()?;
        let after = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let filter = PipelineFilter { team_id, after };
        let page = store
            .pipelines(&organisation, env, region, &filter, PAGE)
            .await
            .map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let pipelines = page.pipelines.into_iter().map(served::pipeline).collect();
        Ok(PipelineList::builder()
            .pipelines(pipelines)
            .maybe_next_cursor(next)
            .build()
            .into())
    }
}
