//! Reads of the catalogues of labs.

use wearlab_models::{Encoded, LabTest, LabTestList, MarkerList};
use wearlab_server::{ApiError, ApiResult, GetLabTestInput, ListLabTestMarkersInput, ListLabTestsInput, Reply};
use wearlab_store::TeamId;

use super::cursor::Listing;
use super::{Opened, Service, encoded, store_error};

/// How many lab tests are read at a time where all are wanted.
const PART: usize = 100;

impl Service {
    /// A page of the lab tests, as a lab account sees them where one is given.
    pub(super) async fn lab_tests(&self, team: TeamId, input: ListLabTestsInput) -> ApiResult<LabTestList> {
        let Opened { store, cursors, .. } = self.opened()?;
        let account = input.lab_account_id;
        let listing = Listing::new("lab_tests", (team.uuid(), account));
        let after: Option<String> = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let limit = usize::try_from(input.lab_test_limit).unwrap_or_default();
        let page = store.team(team).lab_tests(account, after.as_deref(), limit).await;
        let page = page.map_err(store_error)?.ok_or_else(no_account)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let envelope = LabTestList::builder().data(Vec::new()).maybe_next_cursor(next).build();
        encoded(Encoded::with_list(&envelope, "data", &page.lab_tests))
    }

    /// All lab tests.
    pub(super) async fn all_lab_tests(&self, team: TeamId) -> ApiResult<Vec<LabTest>> {
        let team = self.store()?.team(team);
        let (mut tests, mut after) = (Vec::new(), None::<String>);
        loop {
            let page = team
                .lab_tests(None, after.as_deref(), PART)
                .await
                .map_err(store_error)?;
            let page = page.ok_or_else(no_account)?;
            tests.extend(page.lab_tests);
            after = page.next;
            if after.is_none() {
                return Ok(Reply::Encoded(Encoded::list(&tests)));
            }
        }
    }

    /// One lab test with its markers.
    pub(super) async fn lab_test(&self, team: TeamId, input: GetLabTestInput) -> ApiResult<LabTest> {
        let team = self.store()?.team(team);
        let test = team.lab_test(&input.lab_test_id, input.lab_account_id).await;
        let test = test.map_err(store_error)?;
        test.map(Reply::from)
            .ok_or_else(|| ApiError::not_found("No such lab test, or no such lab account."))
    }

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

fn no_account() -> ApiError {
    ApiError::not_found("No such lab account.")
}
