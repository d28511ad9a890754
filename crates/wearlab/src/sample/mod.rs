//! A synthetic population, for demonstrations and tests.
//!
//! The same seed makes the same data, byte for byte: times are counted from a fixed day, and every choice is drawn
//! from the seed. A user's data do not depend on how many users there are. Only their days end when they are made;
//! what is measured at an instant is the same whenever that is. Whoever knows the seed knows the keys, too, unless a
//! [`Population`] is given others.

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

pub(crate) use self::days::{Feed, Span};
pub use self::identity::{Sample, SampleOrganisation, SampleTeam};
pub use self::options::SampleOptions;
pub use self::population::Population;
pub(crate) use self::population::team_scopes;
pub(crate) use self::results::result as lab_result;
use self::users::WITH_DAYS;

/// Where the store keeps the seed that filled it.
const SEED: &str = "sample_seed";
/// Where the store keeps how many users it was filled with.
const USERS: &str = "sample_users";

/// How many days those beside the described user have at most.
const FEW_DAYS: u32 = 14;

/// Where the store keeps from which day on the days of the described user come again.
const DAYS_TAKEN: &str = "sample_days";

const OTHER_DATA: StoreError = StoreError::Conflict {
    what: "it holds data that is not of a sample",
};
const OTHER_VERSION: StoreError = StoreError::Conflict {
    what: "this store was filled by another version of the sample: use a new directory",
};

/// Fills an empty store, and says what is in it.
///
/// A store that was filled before, or by another process meanwhile, is left as it is, and described by what filled
/// it: [`filled`] checks whether `options` are those.
///
/// # Errors
///
/// Where the store fails, holds data that is not of a sample, or was filled by another version of this module.
pub async fn fill(store: &Store, options: &SampleOptions) -> Result<Sample, StoreError> {
    fill_with(store, options, true).await
}

/// Fills an empty store like [`fill`], with pipelines or without: a service calls the hosts that they name.
///
/// # Errors
///
/// As for [`fill`].
pub(crate) async fn fill_with(store: &Store, options: &SampleOptions, pipelines: bool) -> Result<Sample, StoreError> {
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

/// Takes the last days of the described user into a store that was [filled](fill_with), up to now, and fewer of some others, who
/// stand behind them in lists. Of what was taken before, only the last day comes again, with what was not known of it.
///
/// # Errors
///
/// Where the store fails, or was not filled.
pub(crate) async fn feed_first(store: &Store, days: u32, now: DateTime<Utc>) -> Result<(), StoreError> {
    let SampleOptions { seed, users } = filled(store).await?.ok_or(OTHER_VERSION)?;
    let taken = store.meta(DAYS_TAKEN).await?;
    let span = Span {
        days,
        not_before: taken.and_then(|day| day.parse().ok()),
        now,
    };
    Feed::new(seed)?.run(store, 0..1, span, |_| {}).await?;
    let few = Span {
        days: days.min(FEW_DAYS),
        ..span
    };
    Feed::new(seed)?
        .run(store, 1..users.clamp(1, WITH_DAYS), few, |_| {})
        .await?;
    // Where the user is, it may still be yesterday.
    let day = (now - TimeDelta::days(1)).date_naive();
    store.write(|write| write.put_meta(DAYS_TAKEN, &day.to_string())).await
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
            // Only here is nobody else writing.
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

/// Notes what a store was filled with, so that it can be described again.
fn put_notes(write: &mut Transaction<'_>, options: &SampleOptions) -> Result<(), StoreError> {
    write.put_meta(SEED, &options.seed.to_string())?;
    write.put_meta(USERS, &options.users.to_string())
}
