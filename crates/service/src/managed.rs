//! Organisation of a management key, and its teams.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use wearlab_models::Uuid;
use wearlab_server::ApiError;
use wearlab_store::{OrganisationId, StoreError, TeamId, TeamRecord, Transaction};

use super::Service;
use super::auth::Caller;
use super::errors::{no_organisation, store_error};
use super::write::invalid;

/// Characters that are escaped in a path segment: all but the unreserved ones of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the organisation of a key, if the path names it.
///
/// # Errors
///
/// 404 for any other one, whether it exists or not.
pub(super) fn organisation(caller: Caller<OrganisationId>, org_id: &str) -> Result<OrganisationId, ApiError> {
    let organisation = caller.owner();
    match organisation.as_str() == org_id {
        true => Ok(organisation),
        false => Err(no_organisation()),
    }
}

/// Returns the path of an object of an organisation, for `Location`.
pub(super) fn location(organisation: &OrganisationId, segments: &[&str]) -> String {
    let own = ["v1", "org", organisation.as_str()];
    let segments = own.iter().chain(segments);
    segments
        .map(|segment| format!("/{}", utf8_percent_encode(segment, SEGMENT)))
        .collect()
}

/// Finds a team of the organisation, within a write.
pub(super) fn managed_team(
    transaction: &Transaction<'_>,
    organisation: &OrganisationId,
    team_id: Uuid,
) -> Result<Option<TeamId>, StoreError> {
    match transaction.has_team(organisation, team_id)? {
        true => transaction.team(team_id),
        false => Ok(None),
    }
}

pub(super) fn no_team() -> ApiError {
    ApiError::not_found("No such team.")
}

/// Returns a 422 for one value of a body. `field` is its path, such as `preferences.enabled[0]`.
pub(super) fn refused(field: &str, code: &str, reason: &str) -> ApiError {
    let pointer: String = field
        .split(['.', '['])
        .filter(|part| !part.is_empty())
        .map(|part| format!("/{}", part.trim_end_matches(']')))
        .collect();
    invalid(&format!("/body{pointer}"), code, reason)
}

impl Service {
    /// Finds a team of an organisation.
    ///
    /// # Errors
    ///
    /// 404 for any other one, whether it exists or not.
    pub(super) async fn managed_team(
        &self,
        organisation: &OrganisationId,
        team_id: Uuid,
    ) -> Result<TeamRecord, ApiError> {
        let found = self.store()?.organisation_team(organisation, team_id).await;
        found.map_err(store_error)?.ok_or_else(no_team)
    }
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn fields_become_pointers() {
        for (field, pointer) in [
            ("url", "/body/url"),
            ("preferences.enabled[0]", "/body/preferences/enabled/0"),
            (
                "azure_amqp.event_hub_matchers[1].blob_storage.connection_string",
                "/body/azure_amqp/event_hub_matchers/1/blob_storage/connection_string",
            ),
        ] {
            let error = format!("{:?}", refused(field, "invalid", "is wrong"));
            assert!(error.contains(&format!("{pointer:?}")), "{error}");
        }
    }
}
