//! All records of a sample, in the order of insertion.

use wearlab_models::Uuid;
use wearlab_store::{
    ConnectionRecord, DeviceRecord, KeyRecord, KeyScope, KeyScopes, OrganisationRecord, Record, Store, StoreError,
    TeamRecord,
};

use super::catalogue::Catalogue;
use super::generator::Generator;
use super::identity::{Sample, SampleTeam};
use super::options::SampleOptions;
use super::{connections, devices, identity, labs, orders, pipelines, put_notes, users};

const NOT_EMPTY: StoreError = StoreError::Conflict {
    what: "it holds data already: use a new directory, or an empty database",
};

/// Population of a seed. `Debug` shows no key.
#[derive(Clone, Debug)]
pub struct Population {
    options: SampleOptions,
    sample: Sample,
    derived_keys: bool,
    pipelines: bool,
}

impl Population {
    /// Creates the full population of a seed: with keys that are derived from it, and with pipelines.
    pub fn new(options: &SampleOptions) -> Self {
        Self {
            options: *options,
            sample: Sample::describe(options.seed),
            derived_keys: true,
            pipelines: true,
        }
    }

    /// Replaces the keys. `key` creates one from a prefix.
    #[must_use]
    pub fn with_keys(mut self, key: impl FnMut(&str) -> String) -> Self {
        self.derived_keys = false;
        self.sample.replace_keys(key);
        self
    }

    /// Removes the pipelines, so that no event has a destination.
    #[must_use]
    pub fn without_pipelines(mut self) -> Self {
        self.pipelines = false;
        self
    }

    /// Returns the organisations, teams and keys.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Returns the records in the order of insertion.
    ///
    /// # Errors
    ///
    /// If the embedded catalogue is invalid.
    pub fn records(&self) -> Result<impl Iterator<Item = Record> + use<>, StoreError> {
        let catalogue = Catalogue::load()?;
        let SampleOptions { seed, users } = self.options;
        let sample = &self.sample;
        let teams = sample.teams();
        let mut common = owners(sample);
        common.extend(catalogue.records());
        common.extend(labs::records(sample));
        if self.pipelines {
            common.extend(pipelines::make(seed, teams).map(Record::Pipeline));
        }
        let users =
            (0..users).flat_map(move |index| user_records(seed, teams[identity::team_of(index)], &catalogue, index));
        let users = users.chain(orders::records(seed, sample));
        Ok(common.into_iter().chain(users))
    }

    /// Inserts the records into an empty store, in one transaction. `each` is called after each record.
    ///
    /// # Errors
    ///
    /// If the store fails, or is not empty.
    pub async fn fill(&self, store: &Store, mut each: impl FnMut(&Record) + Send) -> Result<(), StoreError> {
        let records = self.records()?;
        let notes = self.derived_keys.then_some(&self.options);
        store
            .write(|write| {
                if !write.is_empty()? {
                    return Err(NOT_EMPTY);
                }
                for record in records {
                    write.put(&record)?;
                    each(&record);
                }
                // The options are stored only with derived keys, so that other keys are not mistaken for derived ones.
                notes.map_or(Ok(()), |options| put_notes(write, options))
            })
            .await
    }
}

/// Creates a user, with their connections and devices.
pub(super) fn user_records(seed: u64, team_id: Uuid, catalogue: &Catalogue, index: u32) -> Vec<Record> {
    let mut draw = Generator::of_user(seed, index);
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

/// Returns the scopes of a team's API key in the sample data.
pub fn team_scopes() -> KeyScopes {
    KeyScopes::from_iter([KeyScope::Read, KeyScope::Write, KeyScope::Ingest])
}

/// Returns the scopes of an organisation's management key in the sample data.
fn management_scopes() -> KeyScopes {
    KeyScopes::from_iter([KeyScope::Read, KeyScope::Ingest, KeyScope::Admin])
}

/// Returns the described team, the other one of its organisation, and the one of the other organisation, with all their
/// keys.
fn owners(sample: &Sample) -> Vec<Record> {
    let other = &sample.other_organisation;
    let organisation = |org_id: &str, key: &str| {
        let record = OrganisationRecord {
            org_id: org_id.to_owned(),
        };
        let key = KeyRecord {
            scopes: Some(management_scopes()),
            ..KeyRecord::of_organisation(org_id, key)
        };
        [Record::Organisation(record), Record::Key(key)]
    };
    let team = |team: &SampleTeam, org_id: &str| {
        let record = TeamRecord {
            team_id: team.team_id,
            org_id: org_id.to_owned(),
            environment: team.env,
            region: team.region,
        };
        let key = KeyRecord {
            scopes: Some(team_scopes()),
            ..KeyRecord::of_team(team.team_id, &team.team_api_key)
        };
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
