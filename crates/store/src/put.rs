//! What is written, where one document does not say it all.

use std::collections::BTreeMap;

use uuid::Uuid;
use wearlab_models::{Environment, OAuthProvider, ProviderSourceType, Region, SupportedProvider};

use crate::OrganisationId;

/// A team, and where it is.
#[derive(Clone, Debug)]
pub struct PutTeam {
    /// The id of the team.
    pub team_id: Uuid,
    /// The organisation that the team belongs to, for good.
    pub organisation: OrganisationId,
    /// The environment of the team.
    pub environment: Environment,
    /// The region of the team.
    pub region: Region,
}

/// A provider of the catalogue.
#[derive(Clone, Debug)]
pub struct PutProvider {
    /// The provider as the catalogue shows it.
    pub supported: SupportedProvider,
    /// The description for linking, of a provider that links by OAuth.
    pub link: Option<OAuthProvider>,
    /// What the catalogue's filter compares with.
    pub source_type: ProviderSourceType,
}

/// A lab account of a team, and what it may see.
#[derive(Clone, Debug)]
pub struct PutLabAccount {
    /// The id of the account.
    pub account_id: Uuid,
    /// The lab tests that the account may see, each with the ids of the markers of it that it may see.
    pub visible: BTreeMap<String, Vec<i64>>,
}
