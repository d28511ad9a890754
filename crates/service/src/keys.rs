//! Keys of an organisation and of its teams: scopes, subjects of the audit log, and the form in responses.

use wearlab_models::{CreatedKey, Key, NewKey, Violation};
use wearlab_server::ApiError;
use wearlab_store::{KeyHash, KeyInfo, KeyRecord, KeyScope, KeyScopes, OrganisationId, StoreError, Transaction};

use super::managed::managed_team;
use super::write::Subject;

pub(super) fn no_key() -> ApiError {
    ApiError::not_found("No such key.")
}

/// Returns a key as a subject of the audit log; none if its team does not belong to the organisation.
pub(super) fn subject(
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

/// Returns the scopes of a new key. The document's list is open, but unknown scopes are rejected.
pub(super) fn scopes(key: &NewKey) -> Result<KeyScopes, ApiError> {
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

/// Converts a key for a response.
pub(super) fn shown(KeyInfo { id, record }: KeyInfo) -> Key {
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

/// Returns the id of a new key.
pub(super) fn key_id(record: &KeyRecord) -> Result<String, ApiError> {
    let key = record
        .key
        .as_ref()
        .ok_or_else(|| ApiError::internal("a new key without the key"))?;
    Ok(KeyHash::of(key.expose()).id())
}

/// Converts a new key for the response that has its secret.
pub(super) fn created(record: KeyRecord) -> Result<CreatedKey, ApiError> {
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
