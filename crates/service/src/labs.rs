//! Catalogues of labs: lab tests with their markers, diagnoses and reasons to cancel.

use wearlab_models::{CancellationReason, Diagnosis, Encoded, LabTest, LabTestList, MarkerList};
use wearlab_server::{
    ApiError, ApiResult, GetLabTestInput, LabsApi, ListAllLabTestsInput, ListLabTestMarkersInput, ListLabTestsInput,
    Reply, SearchDiagnosesInput,
};
use wearlab_store::{LabTestPage, TeamId};

use super::auth::Caller;
use super::cursor::Listing;
use super::lab_test_query::{LabTestQuery, Position, query};
use super::{Opened, Service, encoded, store_error};

/// Maximum hits of a diagnosis search.
const DIAGNOSES: usize = 50;

impl LabsApi for Service {
    async fn list_lab_test_markers(
        &self,
        team: Caller<TeamId>,
        input: ListLabTestMarkersInput,
    ) -> ApiResult<MarkerList> {
        let (page, size) = (input.page, input.size);
        let team = self.store()?.team(team.owner());
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

    async fn list_lab_tests(&self, team: Caller<TeamId>, input: ListLabTestsInput) -> ApiResult<LabTestList> {
        let team = team.owner();
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

    async fn list_all_lab_tests(&self, team: Caller<TeamId>, input: ListAllLabTestsInput) -> ApiResult<Vec<LabTest>> {
        let query: LabTestQuery = query!(input);
        let found = query
            .find(self.store()?.team(team.owner()), None)
            .await?
            .ok_or_else(no_account)?;
        let tests: Vec<_> = found.into_iter().map(|(_, test)| test).collect();
        Ok(Reply::Encoded(Encoded::list(&tests)))
    }

    async fn get_lab_test(&self, team: Caller<TeamId>, input: GetLabTestInput) -> ApiResult<LabTest> {
        let team = self.store()?.team(team.owner());
        let test = team.lab_test(&input.lab_test_id, input.lab_account_id).await;
        let test = test.map_err(store_error)?;
        test.map(Reply::from)
            .ok_or_else(|| ApiError::not_found("No such lab test, or no such lab account."))
    }

    async fn search_diagnoses(&self, _: Caller<TeamId>, input: SearchDiagnosesInput) -> ApiResult<Vec<Diagnosis>> {
        Ok(wearlab_diagnoses::search(&input.diagnosis_query, DIAGNOSES).into())
    }

    async fn list_cancellation_reasons(&self, _: Caller<TeamId>) -> ApiResult<Vec<CancellationReason>> {
        let reasons = self.store()?.cancellation_reasons().await.map_err(store_error)?;
        Ok(Reply::Encoded(Encoded::list(&reasons)))
    }

    async fn list_phlebotomy_cancellation_reasons(&self, caller: Caller<TeamId>) -> ApiResult<Vec<CancellationReason>> {
        self.list_cancellation_reasons(caller).await
    }
}

fn no_account() -> ApiError {
    ApiError::not_found("No such lab account.")
}
