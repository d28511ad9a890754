//! A synthetic population, for demonstrations and tests.
//!
//! The same seed makes the same data, byte for byte: times are counted from a fixed day, and every choice is drawn
//! from the seed. A user's data do not depend on how many users there are.

mod catalogue;
mod connections;
mod devices;
mod draw;
mod identity;
mod labs;
mod pipelines;
#[cfg(test)]
mod tests;
mod users;

use wearlab_store::{PutTeam, Store, StoreError, TeamId, Write};

use self::catalogue::Catalogue;
use self::draw::Draw;
pub use self::identity::{Sample, SampleOrganisation, SampleTeam};

/// Where the store keeps the seed that filled it.
const SEED: &str = "sample_seed";
/// Where the store keeps how many users it was filled with.
const USERS: &str = "sample_users";

const OTHER_DATA: StoreError = StoreError::Conflict {
    what: "it holds data that is not of a sample",
};
const OTHER_VERSION: StoreError = StoreError::Conflict {
    what: "this store was filled by another version of the sample: use a new folder",
};

/// What can be chosen about the population.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// What all data and keys are derived from.
    pub seed: u64,
    /// How many users there are, over all teams; at least one. With three or more, every team has one.
    pub users: u32,
}

/// Fills an empty store, and says what is in it.
///
/// A store that was filled before, or by another process meanwhile, is left as it is, and described by what filled
/// it: [`filled`] tells whether `options` are those.
///
/// # Errors
///
/// Where the store fails, holds data that is not of a sample, or was filled by another version of this module.
pub async fn fill(store: &Store, options: &SampleOptions) -> Result<Sample, StoreError> {
    let kept = match filled(store).await? {
        Some(kept) => kept,
        None => fill_unless_filled(store, options).await?,
    };
    let sample = Sample::describe(kept.seed);
    let team = store.team_of_key(&sample.team_api_key).await?;
    if team.map(|team| team.uuid()) != Some(sample.team_id) {
        return Err(OTHER_VERSION);
    }
    Ok(sample)
}

/// With which options a store was filled, or nothing if it was not.
///
/// # Errors
///
/// Where the store fails, or was filled by another version of this module.
pub async fn filled(store: &Store) -> Result<Option<SampleOptions>, StoreError> {
    kept(store.meta(SEED).await?, store.meta(USERS).await?)
}

/// The options that the notes in a store tell.
fn kept(seed: Option<String>, users: Option<String>) -> Result<Option<SampleOptions>, StoreError> {
    let Some(seed) = seed else { return Ok(None) };
    let seed = seed.parse().map_err(|_| OTHER_VERSION)?;
    let users = users.and_then(|users| users.parse().ok()).ok_or(OTHER_VERSION)?;
    Ok(Some(SampleOptions { seed, users }))
}

/// Returns with which options the store is filled in the end.
async fn fill_unless_filled(store: &Store, options: &SampleOptions) -> Result<SampleOptions, StoreError> {
    let options = SampleOptions {
        users: options.users.max(1),
        ..*options
    };
    let sample = Sample::describe(options.seed);
    let catalogue = Catalogue::load()?;
    store
        .write(|write| {
            // Only here is nobody else writing.
            if let Some(kept) = kept(write.meta(SEED)?, write.meta(USERS)?)? {
                return Ok(kept);
            }
            if !write.is_empty()? {
                return Err(OTHER_DATA);
            }
            put_all(write, &options, &sample, &catalogue)?;
            Ok(options)
        })
        .await
}

fn put_all(
    write: &mut Write<'_>,
    options: &SampleOptions,
    sample: &Sample,
    catalogue: &Catalogue,
) -> Result<(), StoreError> {
    let teams = put_teams(write, sample)?;
    catalogue.put(write)?;
    labs::put(write, sample, teams[0])?;
    pipelines::put(write, options.seed, teams)?;
    for index in 0..options.users {
        let team = teams[identity::team_of(index)];
        let mut draw = Draw::of_user(options.seed, index);
        let user = users::make(&mut draw, team, index);
        write.put_user(team, &user)?;
        let connections = connections::make(&mut draw, catalogue, &user, index);
        for connection in &connections {
            write.put_connection(team, user.user_id, connection)?;
        }
        for device in devices::make(&mut draw, &user, &connections, index) {
            write.put_device(team, &device)?;
        }
    }
    write.put_meta(SEED, &options.seed.to_string())?;
    write.put_meta(USERS, &options.users.to_string())
}

/// The described team, the other one of its organisation, and the one of the other organisation.
fn put_teams(write: &mut Write<'_>, sample: &Sample) -> Result<[TeamId; 3], StoreError> {
    let organisation = write.put_organisation(&sample.org_id)?;
    let other = write.put_organisation(&sample.other_organisation.org_id)?;
    write.put_management_key(&organisation, &sample.management_key)?;
    write.put_management_key(&other, &sample.other_organisation.management_key)?;
    let mut put = |team: &SampleTeam, organisation| -> Result<TeamId, StoreError> {
        let id = write.put_team(PutTeam {
            team_id: team.team_id,
            organisation,
            environment: team.env,
            region: team.region,
        })?;
        write.put_team_key(id, &team.team_api_key)?;
        Ok(id)
    };
    Ok([
        put(&sample.described_team(), organisation.clone())?,
        put(&sample.other_team, organisation)?,
        put(&sample.other_organisation.team, other)?,
    ])
}
