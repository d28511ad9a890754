//! Synthetic population, for demonstrations and tests.
//!
//! The same seed generates the same data, byte for byte: times are relative to a fixed day, and all choices are drawn
//! from the seed. A user's data do not depend on the number of users. Only the days of data end at the time of
//! generation; the value at an instant is always the same. The keys follow from the seed, too, unless a [`Population`]
//! is given others.

mod catalogue;
mod connections;
mod days;
mod devices;
mod generator;
mod identity;
mod labs;
mod options;
mod orders;
mod pipelines;
mod population;
mod results;
#[cfg(test)]
mod tests;
mod users;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_store::{Store, StoreError, Transaction};

pub use self::days::{Feed, Span};
pub use self::identity::{Sample, SampleOrganisation, SampleTeam};
pub use self::options::SampleOptions;
pub use self::population::Population;
pub use self::population::team_scopes;
pub use self::results::result as lab_result;
use self::users::WITH_DAYS;

/// Key of the store's metadata for the seed that filled it.
const SEED: &str = "sample_seed";
/// Key of the store's metadata for the number of users that it was filled with.
const USERS: &str = "sample_users";

/// Maximum days of users beside the described one.
const MAX_OTHER_DAYS: u32 = 14;

/// Key of the store's metadata for the first day of the described user that is generated again.
const DAYS_TAKEN: &str = "sample_days";

const OTHER_DATA: StoreError = StoreError::Conflict {
    what: "it holds data that is not of a sample",
};
const OTHER_VERSION: StoreError = StoreError::Conflict {
    what: "this store was filled by another version of the sample: use a new directory",
};

/// Fills an empty store, and returns its description.
///
/// A store that was filled before, or by another process meanwhile, is left unchanged, and described by the options
/// that filled it: [`filled`] checks whether these are `options`.
///
/// # Errors
///
/// If the store fails, holds data that is not of a sample, or was filled by another version of this module.
pub async fn fill(store: &Store, options: &SampleOptions) -> Result<Sample, StoreError> {
    fill_with(store, options, true).await
}

/// Fills an empty store like [`fill`], with pipelines or without: a service connects to the hosts of pipelines.
///
/// # Errors
///
/// As for [`fill`].
pub async fn fill_with(store: &Store, options: &SampleOptions, pipelines: bool) -> Result<Sample, StoreError> {
    let kept = match filled(store).await? {
        Some(kept) => kept,
        None => fill_unless_filled(store, options, pipelines).await?,
    };
    let sample = Sample::describe(kept.seed);
    let team = store.team_of_key(&sample.team_api_key).await?;
    if team.map(|team| team.uuid()) != Some(sample.team_id) {
        return Err(OTHER_VERSION);
    }
    Ok(sample)
}

/// Ingests the last days of the described user, up to now, into a store that was [filled](fill_with), and fewer days of
/// some other users, which follow in lists. Only the last day of an earlier call is repeated, with its new data.
///
/// # Errors
///
/// If the store fails, or was not filled.
pub async fn feed_first(store: &Store, days: u32, now: DateTime<Utc>) -> Result<(), StoreError> {
    let SampleOptions { seed, users } = filled(store).await?.ok_or(OTHER_VERSION)?;
    let taken = store.meta(DAYS_TAKEN).await?;
    let span = Span {
        days,
        not_before: taken.and_then(|day| day.parse().ok()),
        now,
    };
    Feed::new(seed)?.run(store, 0..1, span, |_| {}).await?;
    let few = Span {
        days: days.min(MAX_OTHER_DAYS),
        ..span
    };
    Feed::new(seed)?
        .run(store, 1..users.clamp(1, WITH_DAYS), few, |_| {})
        .await?;
    // In the user's time zone, it may still be yesterday.
    let day = (now - TimeDelta::days(1)).date_naive();
    store.write(|write| write.put_meta(DAYS_TAKEN, &day.to_string())).await
}

/// Returns the options that filled a store; none if it was not filled.
///
/// # Errors
///
/// If the store fails, or was filled by another version of this module.
pub async fn filled(store: &Store) -> Result<Option<SampleOptions>, StoreError> {
    kept(store.meta(SEED).await?, store.meta(USERS).await?)
}

/// Parses the options in a store's metadata.
fn kept(seed: Option<String>, users: Option<String>) -> Result<Option<SampleOptions>, StoreError> {
    let Some(seed) = seed else { return Ok(None) };
    let seed = seed.parse().map_err(|_| OTHER_VERSION)?;
    let users = users.and_then(|users| users.parse().ok()).ok_or(OTHER_VERSION)?;
    Ok(Some(SampleOptions { seed, users }))
}

/// Fills the store unless another process did. Returns the options that filled it.
async fn fill_unless_filled(
    store: &Store,
    options: &SampleOptions,
    pipelines: bool,
) -> Result<SampleOptions, StoreError> {
    let options = SampleOptions {
        users: options.users.max(1),
        ..*options
    };
    let population = Population::new(&options);
    let population = if pipelines {
        population
    } else {
        population.without_pipelines()
    };
    let records = population.records()?;
    store
        .write(|write| {
            // Checked again in the transaction, which excludes other writers.
            if let Some(kept) = kept(write.meta(SEED)?, write.meta(USERS)?)? {
                return Ok(kept);
            }
            if !write.is_empty()? {
                return Err(OTHER_DATA);
            }
            records.into_iter().try_for_each(|record| write.put(&record))?;
            put_notes(write, &options)?;
            Ok(options)
        })
        .await
}

/// Stores the options in the metadata, so that the store can be described again.
fn put_notes(write: &mut Transaction<'_>, options: &SampleOptions) -> Result<(), StoreError> {
    write.put_meta(SEED, &options.seed.to_string())?;
    write.put_meta(USERS, &options.users.to_string())
}
