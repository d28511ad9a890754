//! Reads of the catalogues of labs.

use wearlab_models::{Encoded, LabTest, LabTestList, MarkerList};
use wearlab_server::{
    ApiError, ApiResult, GetLabTestInput, ListAllLabTestsInput, ListLabTestMarkersInput, ListLabTestsInput, Reply,
};
use wearlab_store::{LabTestPage, TeamId};

use super::cursor::Listing;
use super::lab_test_query::{LabTestQuery, Position, query};
use super::{Opened, Service, encoded, store_error};

impl Service {
    /// A page of the lab tests, as a lab account sees them where one is given.
    pub(super) async fn lab_tests(&self, team: TeamId, input: ListLabTestsInput) -> ApiResult<LabTestList> {
        let Opened { store, cursors, .. } = self.opened()?;
        let account = input.lab_account_id;
        let query: LabTestQuery = query!(input);
        let limit = usize::try_from(input.lab_test_limit).unwrap_or_default();
        let team_store = store.team(team);
        let (lab_tests, next) = if query.is_plain() {
            let listing = Listing::new("lab_tests", (team.uuid(), account));
            let after: Option<String> = cursors.after(input.next_cursor.as_deref(), &listing)?;
            let page = team_store.lab_tests(account, after.as_deref(), limit).await;
            let LabTestPage { lab_tests, next } = page.map_err(store_error)?.ok_or_else(no_account)?;
            (lab_tests, next.map(|after| cursors.seal(&after, &listing)))
        } else {
            let listing = Listing::new("filtered_lab_tests", (team.uuid(), account, &query));
            let after: Option<Position> = cursors.after(input.next_cursor.as_deref(), &listing)?;
            let mut found = query.find(team_store, account).await?.ok_or_else(no_account)?;
            found.retain(|(position, _)| after.as_ref().is_none_or(|after| query.is_after(position, after)));
            let more = found.len() > limit;
            found.truncate(limit);
            let next = found.last().filter(|_| more);
            let next = next.map(|(position, _)| cursors.seal(position, &listing));
            (found.into_iter().map(|(_, test)| test).collect(), next)
        };
        let envelope = LabTestList::builder().data(Vec::new()).maybe_next_cursor(next).build();
        encoded(Encoded::with_list(&envelope, "data", &lab_tests))
    }

    /// All lab tests.
    pub(super) async fn all_lab_tests(&self, team: TeamId, input: ListAllLabTestsInput) -> ApiResult<Vec<LabTest>> {
        let query: LabTestQuery = query!(input);
        let found = query
            .find(self.store()?.team(team), None)
            .await?
            .ok_or_else(no_account)?;
        let tests: Vec<_> = found.into_iter().map(|(_, test)| test).collect();
        Ok(Reply::Encoded(Encoded::list(&tests)))
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
