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

use wearlab_models::Uuid;
use wearlab_store::{
    ConnectionRecord, DeviceRecord, KeyRecord, OrganisationRecord, Record, Store, StoreError, TeamRecord, Write,
};

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
            put_all(write, &options, catalogue)?;
            Ok(options)
        })
        .await
}

fn put_all(write: &mut Write<'_>, options: &SampleOptions, catalogue: Catalogue) -> Result<(), StoreError> {
    for record in with_catalogue(options, catalogue) {
        write.put(&record)?;
    }
    write.put_meta(SEED, &options.seed.to_string())?;
    write.put_meta(USERS, &options.users.to_string())
}

/// The population, one record after the other, in the order in which a store takes them.
///
/// # Errors
///
/// Where the catalogue that comes with the program is no good.
pub fn records(options: &SampleOptions) -> Result<impl Iterator<Item = Record> + use<>, StoreError> {
    Ok(with_catalogue(options, Catalogue::load()?))
}

fn with_catalogue(options: &SampleOptions, catalogue: Catalogue) -> impl Iterator<Item = Record> + use<> {
    let SampleOptions { seed, users } = *options;
    let sample = Sample::describe(seed);
    let teams = [
        sample.team_id,
        sample.other_team.team_id,
        sample.other_organisation.team.team_id,
    ];
    let mut common = owners(&sample);
    common.extend(catalogue.records());
    common.extend(labs::records(&sample));
    common.extend(pipelines::make(seed, teams).map(Record::Pipeline));
    let users = (0..users).flat_map(move |index| user(seed, teams[identity::team_of(index)], &catalogue, index));
    common.into_iter().chain(users)
}

/// A user, with their connections and devices.
fn user(seed: u64, team_id: Uuid, catalogue: &Catalogue, index: u32) -> Vec<Record> {
    let mut draw = Draw::of_user(seed, index);
    let user = users::make(&mut draw, team_id, index);
    let user_id = user.user_id;
    let connections = connections::make(&mut draw, catalogue, &user, index);
    let devices = devices::make(&mut draw, &user, &connections, index);
    let mut records = vec![Record::User(user)];
    records.extend(connections.into_iter().map(|provider| {
        Record::Connection(ConnectionRecord {
            team_id,
            user_id,
            provider,
        })
    }));
    let devices = devices.into_iter();
    records.extend(devices.map(|device| Record::Device(DeviceRecord { team_id, device })));
    records
}

/// The described team, the other one of its organisation, and the one of the other organisation, with all their keys.
fn owners(sample: &Sample) -> Vec<Record> {
    let other = &sample.other_organisation;
    let organisation = |org_id: &str, key: &str| {
        let record = OrganisationRecord {
            org_id: org_id.to_owned(),
        };
        let key = KeyRecord::of_organisation(org_id, key);
        [Record::Organisation(record), Record::Key(key)]
    };
    let team = |team: &SampleTeam, org_id: &str| {
        let record = TeamRecord {
            team_id: team.team_id,
            org_id: org_id.to_owned(),
            environment: team.env,
            region: team.region,
        };
        let key = KeyRecord::of_team(team.team_id, &team.team_api_key);
        [Record::Team(record), Record::Key(key)]
    };
    [
        organisation(&sample.org_id, &sample.management_key),
        organisation(&other.org_id, &other.management_key),
        team(&sample.described_team(), &sample.org_id),
        team(&sample.other_team, &sample.org_id),
        team(&other.team, &other.org_id),
    ]
    .into_iter()
    .flatten()
    .collect()
}
