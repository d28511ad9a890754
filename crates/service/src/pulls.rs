//! Pulls of the connectors of the service, as an organisation sees them.

use wearlab_models::{PullTaskKind, PullTaskList};
use wearlab_server::operations::PULL_AGAIN;
use wearlab_server::{ApiError, ListPullsInput, PullAgainInput};
use wearlab_store::{OrganisationId, PullKind, PullTask, StoreError, Transaction};

use super::access_tokens::no_connection;
use super::auth::Caller;
use super::write::{Subject, Write};
use super::{Service, no_user, store_error};

impl Service {
    /// Returns the pulls of a user.
    pub(super) async fn list_pulls(
        &self,
        caller: Caller<OrganisationId>,
        input: ListPullsInput,
    ) -> Result<PullTaskList, ApiError> {
        let team = self.team_of(&caller.owner(), &input.org_id, input.team_id).await?;
        let store = self.store()?;
        let tasks = store.pull_tasks(team, input.user_id).await.map_err(store_error)?;
        if tasks.is_empty() {
            let user = store.team(team).user(input.user_id).await.map_err(store_error)?;
            user.ok_or_else(no_user)?;
        }
        let pulls = tasks.iter().map(shown).collect();
        Ok(PullTaskList::builder().pulls(pulls).build())
    }

    /// Makes pulls of a connection due now.
    pub(super) async fn pull_again(
        &self,
        caller: Caller<OrganisationId>,
        input: PullAgainInput,
    ) -> Result<(), ApiError> {
        let content = (
            &input.org_id,
            input.team_id,
            input.user_id,
            &input.provider,
            &input.body,
        );
        let write = Write::new(&PULL_AGAIN, &caller).repeatable(input.idempotency_key.as_deref(), &content)?;
        let organisation = caller.owner();
        let team = self.team_of(&organisation, &input.org_id, input.team_id).await?;
        let (user_id, provider, now) = (input.user_id, input.provider, (self.now)());
        self.write(write, |transaction| {
            transaction
                .connection(team, user_id, &provider)?
                .ok_or_else(no_connection)?;
            let is_pulled = self.is_pulled(transaction, &organisation, &provider)?
                && transaction.pull_again(team, user_id, &provider, input.body.history, now)?;
            if !is_pulled {
                let detail = "No connector of the service pulls this connection.";
                return Err(ApiError::conflict(detail, "connection", Some(provider)).into());
            }
            Ok(Subject::user(team, user_id).wrote(()))
        })
        .await
    }

    /// Returns whether a connector of the service pulls the connections of an organisation to a provider: the service has
    /// one, and the organisation has no client of its own.
    pub(super) fn is_pulled(
        &self,
        transaction: &Transaction<'_>,
        organisation: &OrganisationId,
        slug: &str,
    ) -> Result<bool, StoreError> {
        if !self.connectors.contains(slug) {
            return Ok(false);
        }
        let settings = transaction.provider_settings(organisation, slug)?;
        Ok(settings.is_some_and(|settings| settings.is_provisioned))
    }
}

fn shown(task: &PullTask) -> wearlab_models::PullTask {
    let (kind, collection) = match PullKind::of(&task.name) {
        Some(PullKind::Recent(name)) => (PullTaskKind::Recent, Some(name)),
        Some(PullKind::History(name)) => (PullTaskKind::History, Some(name)),
        Some(PullKind::Link) | None => (PullTaskKind::Link, None),
    };
    let history = task.history();
    let resources = history.as_ref().map(|history| history.resources.clone());
    wearlab_models::PullTask::builder()
        .provider(&task.provider)
        .kind(kind)
        .maybe_collection(collection.map(str::to_owned))
        .maybe_resources(resources.filter(|names| !names.is_empty()))
        .status(task.status())
        .maybe_attempted_at(task.attempted_on.map(|at| at.fixed_offset()))
        .maybe_next_attempt_at(task.due.map(|at| at.fixed_offset()))
        .failures(i64::from(task.failures))
        .maybe_error_details(task.error().map(str::to_owned))
        .maybe_windows(history.as_ref().map(|history| i64::from(history.windows())))
        .maybe_windows_done(history.as_ref().map(|history| i64::from(history.windows_done())))
        .build()
}
