//! Pipelines of an organisation's teams.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_delivery::pipeline::{check_replacement, check_unmasked};
use wearlab_delivery::{Checked, CheckedDestination, check};
use wearlab_models::{DestinationTest, Masked, Pipeline, PipelineInput, PipelineList, PipelineTest};
use wearlab_server::operations::{DELETE_PIPELINE, PUT_PIPELINE, TEST_PIPELINE};
use wearlab_server::{
    ApiError, ApiResult, DeletePipelineInput, GetPipelineInput, ListTeamPipelinesInput, PipelinesApi, PutPipelineInput,
    Reply, TestPipelineInput,
};
use wearlab_store::{OrganisationId, PipelineFilter, TeamPipeline};

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{managed_team, no_team, organisation, refused};
use super::write::{Subject, Write, invalid};
use super::{Opened, Service, store_error};
use crate::administration::test_event::{failure, message};
use crate::redaction;

/// Page size, in pipelines.
const PAGE: usize = 50;
/// Maximum endpoints that are tested with a team's pipeline, concurrently.
const MOST_WEBHOOKS: usize = 50;

impl PipelinesApi for Service {
    async fn list_team_pipelines(
        &self,
        caller: Caller<OrganisationId>,
        input: ListTeamPipelinesInput,
    ) -> ApiResult<Masked<PipelineList>> {
        let organisation = organisation(caller, &input.org_id)?;
        let (env, region, team_id) = (input.env, input.region, input.team_id);
        let listing = Listing::new("pipelines", (organisation.as_str(), env, region, team_id));
        let Opened { store, cursors, .. } = self.opened()?;
        let after = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let filter = PipelineFilter { team_id, after };
        let page = store
            .pipelines(&organisation, env, region, &filter, PAGE)
            .await
            .map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let page = PipelineList::builder()
            .pipelines(page.pipelines)
            .maybe_next_cursor(next)
            .build();
        Ok(redaction::pipelines(page).into())
    }

    async fn get_pipeline(
        &self,
        caller: Caller<OrganisationId>,
        input: GetPipelineInput,
    ) -> ApiResult<Masked<Pipeline>> {
        let organisation = organisation(caller, &input.org_id)?;
        let store = self.store()?;
        let team = store.team_of(&organisation, input.team_id).await.map_err(store_error)?;
        let team = team.ok_or_else(no_team)?;
        let pipeline = store.pipeline(team.uuid()).await.map_err(store_error)?;
        let pipeline = pipeline.ok_or_else(no_pipeline)?;
        let version = self.version(&pipeline)?;
        Ok(Reply::versioned(redaction::pipeline(pipeline), version))
    }

    async fn put_pipeline(
        &self,
        caller: Caller<OrganisationId>,
        input: PutPipelineInput,
    ) -> ApiResult<Masked<Pipeline>> {
        let write = Write::new(&PUT_PIPELINE, &caller);
        let organisation = organisation(caller, &input.org_id)?;
        let other_team = input.body.team_id.is_some_and(|team_id| team_id != input.team_id);
        let given = given(input.team_id, &input.body)?;
        let put: Masked<Pipeline> = self
            .write(write, |transaction| {
                let team = managed_team(transaction, &organisation, input.team_id)?.ok_or_else(no_team)?;
                let stored = transaction.pipeline(team)?;
                self.check_pipeline(input.if_match.as_deref(), stored.as_ref())?;
                if other_team {
                    return Err(refused("team_id", "invalid", "must be the team of the path").into());
                }
                let pipeline = check_replacement(given, stored.as_ref())
                    .and_then(|pipeline| check_unmasked(&pipeline).map(|()| pipeline))
                    .and_then(|pipeline| match stored.as_ref() == Some(&pipeline) {
                        // A stored block was checked already, or is checked at its next connection.
                        true => Ok(pipeline),
                        false => self.egress.check(organisation.as_str(), &pipeline).map(|()| pipeline),
                    })
                    .map_err(|wrong| refused(&wrong.field, "invalid", &wrong.reason))?;
                transaction.put_pipeline(team, &pipeline)?;
                Ok(Subject::Team(team, input.team_id.to_string()).wrote(redaction::pipeline(pipeline)))
            })
            .await?;
        Ok(put.into())
    }

    async fn delete_pipeline(
        &self,
        caller: Caller<OrganisationId>,
        input: DeletePipelineInput,
    ) -> Result<(), ApiError> {
        let write = Write::new(&DELETE_PIPELINE, &caller);
        let organisation = organisation(caller, &input.org_id)?;
        self.write(write, |transaction| {
            let team = managed_team(transaction, &organisation, input.team_id)?.ok_or_else(no_team)?;
            let stored = transaction.pipeline(team)?.ok_or_else(no_pipeline)?;
            self.check_pipeline(input.if_match.as_deref(), Some(&stored))?;
            transaction.delete_pipeline(team)?;
            Ok(Subject::Team(team, input.team_id.to_string()).wrote(()))
        })
        .await
    }

    async fn test_pipeline(&self, caller: Caller<OrganisationId>, input: TestPipelineInput) -> ApiResult<PipelineTest> {
        let asked = (&input.org_id, input.team_id);
        let write = Write::new(&TEST_PIPELINE, &caller).repeatable(input.idempotency_key.as_deref(), &asked)?;
        let organisation = organisation(caller, &input.org_id)?;
        // Nothing is sent within a transaction.
        if let Some(kept) = self.kept::<PipelineTest>(&write).await? {
            return Ok(kept.into());
        }
        let store = self.store()?;
        let team = store.team_of(&organisation, input.team_id).await.map_err(store_error)?;
        let team = team.ok_or_else(no_team)?;
        let region = self.managed_team(&organisation, input.team_id).await?.region;
        let pipeline = store.pipeline(input.team_id).await.map_err(store_error)?;
        let pipeline = pipeline.map(|pipeline| TeamPipeline {
            pipeline,
            organisation: organisation.clone(),
            region,
        });
        let webhooks = store
            .team(team)
            .webhooks(None, MOST_WEBHOOKS)
            .await
            .map_err(store_error)?;
        if webhooks.next.is_some() {
            let message = format!("has more than {MOST_WEBHOOKS} webhook endpoints: test each by itself");
            return Err(invalid("/path/team_id", "too_many", &message));
        }
        let _place = self.outbound_waits.take(&organisation)?;
        let (kinds, now) = (self.kinds()?, (self.now)());
        let tested = check(&kinds, pipeline.into_iter().collect(), webhooks.webhooks, now, |key| {
            message("pipeline.test", key.team_id, &json!({"kind": key.kind}), now)
        });
        // No transaction is open and no permit of a request is held while another machine responds.
        let test = wearlab_http::after(tested, async |tested| {
            let results = tested.into_iter().flat_map(results).collect();
            let test = PipelineTest::builder().results(results).build();
            self.write(write, |transaction| {
                let team = managed_team(transaction, &organisation, input.team_id)?.ok_or_else(no_team)?;
                Ok(Subject::Team(team, input.team_id.to_string()).wrote(test))
            })
            .await
        });
        let test: PipelineTest = test.await?;
        Ok(test.into())
    }
}

/// Converts the outcome of the test event for the targets of a destination.
fn results(CheckedDestination { key, result }: CheckedDestination) -> Vec<DestinationTest> {
    let of = |target: Option<String>, reason: Option<String>| {
        DestinationTest::builder()
            .kind(&key.kind)
            .maybe_webhook_id(key.webhook_id.clone())
            .maybe_target(target)
            .delivered(reason.is_none())
            .maybe_reason(reason)
            .build()
    };
    match result {
        Err(unusable) => vec![of(None, Some(unusable.to_string()))],
        Ok(checked) => {
            let checked = checked.into_iter();
            checked
                .map(|Checked { target, outcome }| of(Some(target), failure(outcome)))
                .collect()
        }
    }
}

fn no_pipeline() -> ApiError {
    ApiError::not_found("No such team, or it has no pipeline.")
}

impl Service {
    /// Fails with 412 unless `If-Match` names the pipeline as a read returns it. A missing one has no entity tag.
    fn check_pipeline(&self, if_match: Option<&str>, stored: Option<&Pipeline>) -> Result<(), ApiError> {
        match stored {
            Some(stored) => self.check_version(if_match, &redaction::pipeline(stored.clone()), stored),
            None if if_match.is_some() => Err(ApiError::precondition_failed()),
            None => Ok(()),
        }
    }
}

/// Converts a body to a pipeline: both have the same members.
fn given(team_id: Uuid, body: &PipelineInput) -> Result<Pipeline, ApiError> {
    let mut pipeline = serde_json::to_value(body).map_err(ApiError::internal)?;
    if let Value::Object(members) = &mut pipeline {
        members.insert("team_id".to_owned(), json!(team_id));
        members
            .entry("event_type_prefixes")
            .or_insert_with(|| Value::Array(Vec::new()));
    }
    serde_json::from_value(pipeline).map_err(ApiError::internal)
}
