//! Organisations, teams and keys of a seed, without other data.

use std::fmt;

use wearlab_models::{Environment, OAuthProviderSlug, Region, Uuid};

use super::generator::Generator;

/// Prefix of keys of teams.
const TEAM_KEY: &str = "wl_team_";
/// Prefix of keys of organisations.
const MANAGEMENT_KEY: &str = "wl_mgmt_";

/// Ids and keys of a population, for testers.
///
/// One team and one user are described. The others show that a team does not see another's data.
#[derive(Clone, PartialEq, Eq)]
pub struct Sample {
    /// Organisation of the described team.
    pub org_id: String,
    /// Environment of the described team.
    pub env: Environment,
    /// Region of the described team.
    pub region: Region,
    /// Described team, which most users belong to.
    pub team_id: Uuid,
    /// Key of the team.
    pub team_api_key: String,
    /// Management key of the organisation.
    pub management_key: String,
    /// User of the team with all kinds of data.
    pub user_id: Uuid,
    /// Lab test with more markers than a page holds by default.
    pub lab_test_id: String,
    /// Lab account of the team.
    pub lab_account_id: Uuid,
    /// Other lab account of the team, which sees fewer tests and markers.
    pub other_lab_account_id: Uuid,
    /// Provider that links by OAuth.
    pub oauth_provider: String,
    /// Other team of the organisation, in another environment and region.
    pub other_team: SampleTeam,
    /// Other organisation.
    pub other_organisation: SampleOrganisation,
}

/// Team of a population.
#[derive(Clone, PartialEq, Eq)]
pub struct SampleTeam {
    /// Id of the team.
    pub team_id: Uuid,
    /// Environment of the team.
    pub env: Environment,
    /// Region of the team.
    pub region: Region,
    /// Key of the team.
    pub team_api_key: String,
    /// User of the team, who exists if there are three users or more.
    pub user_id: Uuid,
}

/// Organisation of a population.
#[derive(Clone, PartialEq, Eq)]
pub struct SampleOrganisation {
    /// Id of the organisation.
    pub org_id: String,
    /// Management key of the organisation.
    pub management_key: String,
    /// Its only team.
    pub team: SampleTeam,
}

impl Sample {
    /// Returns the description of the population of a seed.
    pub fn describe(seed: u64) -> Self {
        let draw = &mut Generator::of_identities(seed);
        let mut team = |index, env, region| SampleTeam {
            team_id: draw.uuid(),
            env,
            region,
            team_api_key: format!("{TEAM_KEY}{}", draw.text(32)),
            user_id: user_id(&mut Generator::of_user(seed, index)),
        };
        let described = team(0, Environment::Production, Region::Us);
        let other_team = team(1, Environment::Sandbox, Region::Eu);
        let elsewhere = team(2, Environment::Production, Region::Eu);
        let mut organisation = || {
            (
                format!("org_{}", draw.text(12)),
                format!("{MANAGEMENT_KEY}{}", draw.text(32)),
            )
        };
        let (org_id, management_key) = organisation();
        let (other_org_id, other_management_key) = organisation();
        Self {
            org_id,
            env: described.env,
            region: described.region,
            team_id: described.team_id,
            team_api_key: described.team_api_key,
            management_key,
            user_id: described.user_id,
            lab_test_id: draw.uuid().to_string(),
            lab_account_id: draw.uuid(),
            other_lab_account_id: draw.uuid(),
            oauth_provider: OAuthProviderSlug::Stridewell.to_string(),
            other_team,
            other_organisation: SampleOrganisation {
                org_id: other_org_id,
                management_key: other_management_key,
                team: elsewhere,
            },
        }
    }

    /// Replaces the keys of all owners by those that `key` creates from a prefix.
    pub(super) fn replace_keys(&mut self, mut key: impl FnMut(&str) -> String) {
        let other = &mut self.other_organisation;
        for team in [
            &mut self.team_api_key,
            &mut self.other_team.team_api_key,
            &mut other.team.team_api_key,
        ] {
            *team = key(TEAM_KEY);
        }
        for management in [&mut self.management_key, &mut other.management_key] {
            *management = key(MANAGEMENT_KEY);
        }
    }

    /// Returns the teams, indexed by [`team_of`].
    pub(super) fn teams(&self) -> [Uuid; 3] {
        [
            self.team_id,
            self.other_team.team_id,
            self.other_organisation.team.team_id,
        ]
    }

    pub(super) fn described_team(&self) -> SampleTeam {
        SampleTeam {
            team_id: self.team_id,
            env: self.env,
            region: self.region,
            team_api_key: self.team_api_key.clone(),
            user_id: self.user_id,
        }
    }
}

/// Returns the index of a user's team: the first has eight of ten users.
pub(super) fn team_of(index: u32) -> usize {
    match index % 10 {
        1 => 1,
        2 => 2,
        _ => 0,
    }
}

/// Returns the id of a user, which is the first value of their generator.
pub(super) fn user_id(draw: &mut Generator) -> Uuid {
    draw.uuid()
}

// Omits the keys.

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample")
            .field("org_id", &self.org_id)
            .field("team_id", &self.team_id)
            .field("user_id", &self.user_id)
            .field("lab_test_id", &self.lab_test_id)
            .field("lab_account_id", &self.lab_account_id)
            .field("other_team", &self.other_team)
            .field("other_organisation", &self.other_organisation)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for SampleTeam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleTeam")
            .field("team_id", &self.team_id)
            .field("env", &self.env)
            .field("region", &self.region)
            .field("user_id", &self.user_id)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for SampleOrganisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleOrganisation")
            .field("org_id", &self.org_id)
            .field("team", &self.team)
            .finish_non_exhaustive()
    }
}
