//! Reads of the catalogues of labs.

use wearlab_models::{Encoded, MarkerList};
use wearlab_server::{ApiError, ApiResult, ListLabTestMarkersInput};
use wearlab_store::TeamId;

use super::{Service, encoded, store_error};

impl Service {
    /// A page of the markers of a lab test, as a lab account sees them.
    pub(super) async fn markers(&self, team: TeamId, input: ListLabTestMarkersInput) -> ApiResult<MarkerList> {
        let (page, size) = (input.page, input.size);
        let team = self.store()?.team(team);
        let markers = team
            .markers(&input.lab_test_id, input.lab_account_id, page, size)
            .await
            .map_err(store_error)?;
        let markers = markers.ok_or_else(|| ApiError::not_found("No such lab test, or no such lab account."))?;
        let envelope = MarkerList::builder()
            .markers(Vec::new())
            .total(markers.total)
            .page(page)
            .size(size)
            .build();
        encoded(Encoded::page(&envelope, &markers.markers))
    }
}
