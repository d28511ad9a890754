//! Teams, keys and the audit log of an organisation.

use wearlab_models::{
    AuditLog, CreateKeyHeaders, CreateTeamHeaders, CreatedKey, Encoded, Key, KeyList, Team, TeamList,
};
use wearlab_server::operations::{CREATE_KEY, CREATE_TEAM, REVOKE_KEY};
use wearlab_server::{
    ApiError, ApiResult, CreateKeyInput, CreateTeamInput, GetKeyInput, GetTeamInput, ListAuditLogInput, ListKeysInput,
    ListTeamsInput, OrganisationsApi, Reply, RevokeKeyInput,
};
use wearlab_store::{AuditLogPosition, KeyFilter, OrganisationId, TeamRecord};

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{location, organisation, refused};
use super::write::{Subject, Write, check_precondition};
use super::{Opened, Service, audit_log, keys, store_error};
use crate::administration::keys::{KeyFor, new_key, random};

impl OrganisationsApi for Service {
    async fn list_teams(&self, caller: Caller<OrganisationId>, input: ListTeamsInput) -> ApiResult<TeamList> {
        let organisation = organisation(caller, &input.org_id)?;
        let listing = Listing::new("teams", organisation.as_str());
        let Opened { store, cursors, .. } = self.opened()?;
        let after = cursors.after(input.next_cursor.as_deref(), &listing)?;
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.teams(&organisation, after, limit).await.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let teams = page.teams.into_iter().map(shown_team).collect();
        Ok(TeamList::builder().teams(teams).maybe_next_cursor(next).build().into())
    }

    async fn create_team(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateTeamInput,
    ) -> Result<(Reply<Team>, CreateTeamHeaders), ApiError> {
        let write = Write::new(&CREATE_TEAM, &caller)
            .repeatable(input.idempotency_key.as_deref(), &(&input.org_id, &input.body))?;
        let organisation = organisation(caller, &input.org_id)?;
        let team = TeamRecord {
            team_id: input.body.team_id.unwrap_or_else(wearlab_clock::fresh_id),
            org_id: input.org_id,
            environment: input.body.environment,
            region: input.body.region,
        };
        let created: Team = self
            .write(write, |transaction| {
                if transaction.team(team.team_id)?.is_some() {
                    // A team of another organisation is not named.
                    let own = transaction.has_team(&organisation, team.team_id)?;
                    let id = own.then(|| team.team_id.to_string());
                    return Err(ApiError::conflict("A team has this id.", "team", id).into());
                }
                let id = transaction.put_team(&team)?;
                Ok(Subject::Team(id, team.team_id.to_string()).wrote(shown_team(team)))
            })
            .await?;
        let location = location(&organisation, &["teams", &created.team_id.to_string()]);
        let headers = CreateTeamHeaders::builder().location(location).build();
        Ok((created.into(), headers))
    }

    async fn get_team(&self, caller: Caller<OrganisationId>, input: GetTeamInput) -> ApiResult<Team> {
        let organisation = organisation(caller, &input.org_id)?;
        let team = self.managed_team(&organisation, input.team_id).await?;
        Ok(shown_team(team).into())
    }

    async fn list_keys(&self, caller: Caller<OrganisationId>, input: ListKeysInput) -> ApiResult<KeyList> {
        let organisation = organisation(caller, &input.org_id)?;
        let listing = Listing::new("keys", (organisation.as_str(), input.team_id));
        let Opened { store, cursors, .. } = self.opened()?;
        let filter = KeyFilter {
            team_id: input.team_id,
            after: cursors.after(input.next_cursor.as_deref(), &listing)?,
        };
        let limit = usize::try_from(input.limit).unwrap_or_default();
        let page = store.organisation_keys(&organisation, &filter, limit);
        let page = page.await.map_err(store_error)?;
        let next = page.next.map(|after| cursors.seal(&after, &listing));
        let keys = page.keys.into_iter().map(keys::shown).collect();
        Ok(KeyList::builder().keys(keys).maybe_next_cursor(next).build().into())
    }

    async fn create_key(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateKeyInput,
    ) -> Result<(Reply<CreatedKey>, CreateKeyHeaders), ApiError> {
        let write = Write::new(&CREATE_KEY, &caller)
            .repeatable(input.idempotency_key.as_deref(), &(&input.org_id, &input.body))?;
        let organisation = organisation(caller, &input.org_id)?;
        let scopes = keys::scopes(&input.body)?;
        let owner = match input.body.team_id {
            Some(team_id) => KeyFor::Team(team_id),
            None => KeyFor::Organisation(input.org_id),
        };
        let record = new_key(owner, input.body.name, scopes, (self.now)(), random);
        record
            .check()
            .map_err(|(field, reason)| refused(field, "invalid", reason))?;
        let created: CreatedKey = self
            .write(write, |transaction| {
                let id = keys::key_id(&record)?;
                let missing = || refused("team_id", "unknown", "is not a team of the organisation");
                let subject = keys::subject(transaction, &organisation, &record, id)?.ok_or_else(missing)?;
                transaction.put_key(&record)?;
                Ok(subject.wrote(keys::created(record)?))
            })
            .await?;
        let location = location(&organisation, &["keys", &created.key_id]);
        let headers = CreateKeyHeaders::builder().location(location).build();
        Ok((created.into(), headers))
    }

    async fn get_key(&self, caller: Caller<OrganisationId>, input: GetKeyInput) -> ApiResult<Key> {
        let organisation = organisation(caller, &input.org_id)?;
        let found = self.store()?.organisation_key(&organisation, &input.key_id).await;
        let key = found.map_err(store_error)?.ok_or_else(keys::no_key)?;
        Ok(keys::shown(key).into())
    }

    async fn revoke_key(&self, caller: Caller<OrganisationId>, input: RevokeKeyInput) -> Result<(), ApiError> {
        let write = Write::new(&REVOKE_KEY, &caller);
        let organisation = organisation(caller, &input.org_id)?;
        let now = (self.now)();
        self.write(write, |transaction| {
            let found = transaction.organisation_key(&organisation, &input.key_id)?;
            let key = found.ok_or_else(keys::no_key)?;
            let subject =
                keys::subject(transaction, &organisation, &key.record, key.id.clone())?.ok_or_else(keys::no_key)?;
            let current = Encoded::encode(&keys::shown(key)).map_err(ApiError::internal)?;
            check_precondition(input.if_match.as_deref(), &current)?;
            transaction.revoke_key(&input.key_id, now)?;
            Ok(subject.wrote(()))
        })
        .await
    }

    async fn list_audit_log(&self, caller: Caller<OrganisationId>, input: ListAuditLogInput) -> ApiResult<AuditLog> {
        let organisation = organisation(caller, &input.org_id)?;
        let (store, after, limit) = (self.store()?, input.after, input.limit);
        let from = input
            .before
            .map_or(AuditLogPosition::After(after), AuditLogPosition::Before);
        let start = input.before.unwrap_or(after);
        let (mut entries, last) = match (input.team_id, from) {
            (Some(team_id), from) => {
                let limit = usize::try_from(limit).unwrap_or_default();
                let found = store.team_audit_log(&organisation, team_id, from, limit).await;
                found.map_err(store_error)?
            }
            (None, from) => {
                let entries = match from {
                    AuditLogPosition::After(after) => store.audit_log(&organisation, after, limit).await,
                    AuditLogPosition::Before(before) => store.audit_log_back(&organisation, before, limit).await,
                };
                let entries = entries.map_err(store_error)?;
                let last = entries.last().map_or(start, |entry| entry.number);
                (entries, last)
            }
        };
        entries.retain(|entry| entry.number > after);
        let entries = entries.into_iter().map(audit_log::shown).collect();
        Ok(AuditLog::builder().entries(entries).last(last).build().into())
    }
}

fn shown_team(team: TeamRecord) -> Team {
    Team::builder()
        .team_id(team.team_id)
        .org_id(team.org_id)
        .environment(team.environment)
        .region(team.region)
        .build()
}
