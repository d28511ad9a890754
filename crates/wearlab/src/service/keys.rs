//! The keys of an organisation and of its teams.

use wearlab_models::{CreateKeyHeaders, CreatedKey, Encoded, Key, KeyList, NewKey, Violation};
use wearlab_server::operations::{CREATE_KEY, REVOKE_KEY};
use wearlab_server::{ApiError, ApiResult, CreateKeyInput, GetKeyInput, ListKeysInput, Reply, RevokeKeyInput};
use wearlab_store::{
    KeyFilter, KeyHash, KeyInfo, KeyRecord, KeyScope, KeyScopes, OrganisationId, StoreError, Transaction,
};

use super::auth::Caller;
use super::cursor::Listing;
use super::managed::{location, managed_team, organisation, refused};
use super::write::{Subject, Write, check_precondition};
use super::{Opened, Service, store_error};
use crate::administration::keys::{KeyFor, new_key, random};

impl Service {
    pub(super) async fn keys(&self, caller: Caller<OrganisationId>, input: ListKeysInput) -> ApiResult<KeyList> {
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
        let keys = page.keys.into_iter().map(shown).collect();
        Ok(KeyList::builder().keys(keys).maybe_next_cursor(next).build().into())
    }

    pub(super) async fn key(&self, caller: Caller<OrganisationId>, input: GetKeyInput) -> ApiResult<Key> {
        let organisation = organisation(caller, &input.org_id)?;
        let found = self.store()?.organisation_key(&organisation, &input.key_id).await;
        let key = found.map_err(store_error)?.ok_or_else(no_key)?;
        Ok(shown(key).into())
    }

    pub(super) async fn new_key(
        &self,
        caller: Caller<OrganisationId>,
        input: CreateKeyInput,
    ) -> Result<(Reply<CreatedKey>, CreateKeyHeaders), ApiError> {
        let write = Write::new(&CREATE_KEY, &caller)
            .repeatable(input.idempotency_key.as_deref(), &(&input.org_id, &input.body))?;
        let organisation = organisation(caller, &input.org_id)?;
        let scopes = scopes(&input.body)?;
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
                let id = key_id(&record)?;
                let missing = || refused("team_id", "unknown", "is not a team of the organisation");
                let subject = subject(transaction, &organisation, &record, id)?.ok_or_else(missing)?;
                transaction.put_key(&record)?;
                Ok(subject.wrote(created(record)?))
            })
            .await?;
        let location = location(&organisation, &["keys", &created.key_id]);
        let headers = CreateKeyHeaders::builder().location(location).build();
        Ok((created.into(), headers))
    }

    pub(super) async fn revoke(&self, caller: Caller<OrganisationId>, input: RevokeKeyInput) -> Result<(), ApiError> {
        let write = Write::new(&REVOKE_KEY, &caller);
        let organisation = organisation(caller, &input.org_id)?;
        let now = (self.now)();
        self.write(write, |transaction| {
            let found = transaction.organisation_key(&organisation, &input.key_id)?;
            let key = found.ok_or_else(no_key)?;
            let subject = subject(transaction, &organisation, &key.record, key.id.clone())?.ok_or_else(no_key)?;
            let current = Encoded::encode(&shown(key)).map_err(ApiError::internal)?;
            check_precondition(input.if_match.as_deref(), &current)?;
            transaction.revoke_key(&input.key_id, now)?;
            Ok(subject.wrote(()))
        })
        .await
    }
}

fn no_key() -> ApiError {
    ApiError::not_found("No such key.")
}

/// A key, for the audit log; nothing where its team is not one of the organisation.
fn subject(
    transaction: &Transaction<'_>,
    organisation: &OrganisationId,
    record: &KeyRecord,
    id: String,
) -> Result<Option<Subject>, StoreError> {
    let Some(team_id) = record.team_id else {
        return Ok(Some(Subject::Organisation(organisation.clone(), id)));
    };
    let team = managed_team(transaction, organisation, team_id)?;
    Ok(team.map(|team| Subject::Team(team, id)))
}

/// The scopes of a new key. The document's list is open, and a key can have none that is not known here.
fn scopes(key: &NewKey) -> Result<KeyScopes, ApiError> {
    let (mut known, mut violations) = (Vec::new(), Vec::new());
    for (index, scope) in key.scopes.iter().enumerate() {
        match scope.as_str().parse::<KeyScope>() {
            Ok(scope) => known.push(scope),
            Err(reason) => {
                let violation = Violation::builder().location(format!("/body/scopes/{index}"));
                violations.push(violation.code("unknown").message(reason).build());
            }
        }
    }
    match violations.is_empty() {
        true => Ok(known.into_iter().collect()),
        false => Err(ApiError::invalid(violations)),
    }
}

fn names(scopes: Option<KeyScopes>) -> Vec<wearlab_models::KeyScope> {
    let scopes = scopes.unwrap_or_default();
    scopes.iter().map(|scope| scope.as_str().into()).collect()
}

fn shown(KeyInfo { id, record }: KeyInfo) -> Key {
    Key::builder()
        .key_id(id)
        .maybe_team_id(record.team_id)
        .maybe_org_id(record.org_id)
        .maybe_name(record.name)
        .scopes(names(record.scopes))
        .maybe_created_on(record.created_on)
        .maybe_revoked_on(record.revoked_on)
        .build()
}

fn key_id(record: &KeyRecord) -> Result<String, ApiError> {
    let key = record
        .key
        .as_ref()
        .ok_or_else(|| ApiError::internal("a new key without the key"))?;
    Ok(KeyHash::of(key.expose()).id())
}

fn created(record: KeyRecord) -> Result<CreatedKey, ApiError> {
    let id = key_id(&record)?;
    let (Some(key), Some(created_on)) = (record.key, record.created_on) else {
        return Err(ApiError::internal("a new key without its time"));
    };
    Ok(CreatedKey::builder()
        .key_id(id)
        .key(key)
        .maybe_team_id(record.team_id)
        .maybe_org_id(record.org_id)
        .maybe_name(record.name)
        .scopes(names(record.scopes))
        .created_on(created_on)
        .build())
}
