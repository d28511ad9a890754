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

/// What can be chosen about the population.
#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// What all data and keys are derived from.
    pub seed: u64,
    /// How many users there are, over all teams; at least one. With three or more, every team has one.
    pub users: u32,
}

/// Fills an empty store, and says what is in it.
///
/// A store that was filled before is left as it is, and described: by its own seed, should `options` name another.
///
/// # Errors
///
/// Where the store fails, or holds data that is not of a sample.
pub async fn fill(store: &Store, options: &SampleOptions) -> Result<Sample, StoreError> {
    if let Some(seed) = store.meta(SEED).await?.and_then(|seed| seed.parse().ok()) {
        return Ok(Sample::describe(seed));
    }
    if !store.is_empty().await? {
        let what = "it holds data that is not of a sample";
        return Err(StoreError::Conflict { what });
    }
    let sample = Sample::describe(options.seed);
    let catalogue = Catalogue::load()?;
    store
        .write(|write| put_all(write, options, &sample, &catalogue))
        .await?;
    Ok(sample)
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
    pipelines::put(write, options.seed, sample, teams)?;
    for index in 0..options.users.max(1) {
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
    write.put_meta(SEED, &options.seed.to_string())
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
