//! Ingests the days of users into a store, as data of providers arrive.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{NaiveDate, Utc};
use tokio::sync::mpsc;
use wearlab_models::{ConnectedProvider, ConnectionStatus, DateTime, Uuid};
use wearlab_store::{
    Arrival, ConnectionMade, DeprecatedForms, Ingestion, ProviderRecord, Record, Store, StoreError, ValidArrival,
};

use super::super::Sample;
use super::super::catalogue::Catalogue;
use super::super::connections::NO_LOGO;
use super::super::identity::team_of;
use super::super::population::user_records;
use super::backfill::{Backfill, Batch};
use super::clock::shifted;
use super::wearer::Wearer;

/// Error of invalid sample data.
const INVALID_DATA: StoreError = StoreError::Document { what: "sample data" };

/// Number of days that fill a transaction, of one user or of several.
const TRANSACTION_DAYS: u64 = 60;

/// Range of days.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Number of days, up to the user's local day.
    pub days: u32,
    /// Earliest day; none without a limit.
    pub not_before: Option<NaiveDate>,
    /// Current time. Later data are not known yet.
    pub now: chrono::DateTime<Utc>,
}

/// Generator of the days of a population's users.
pub struct Feed {
    seed: u64,
    teams: [Uuid; 3],
    catalogue: Catalogue,
}

impl Feed {
    /// Creates the generator of a seed's population.
    ///
    /// # Errors
    ///
    /// If the embedded catalogue is invalid.
    pub fn new(seed: u64) -> Result<Self, StoreError> {
        Ok(Self {
            seed,
            teams: Sample::describe(seed).teams(),
            catalogue: Catalogue::load()?,
        })
    }

    /// Takes the days of users, by their indices, into a store that has these users. `each` is called with the number
    /// of days after each commit. Repeating the same days changes nothing.
    ///
    /// # Errors
    ///
    /// If the store fails, or does not have the users. Days that were passed to `each` are kept.
    pub async fn run(
        self,
        store: &Store,
        users: Range<u32>,
        span: Span,
        mut each: impl FnMut(u64) + Send,
    ) -> Result<(), StoreError> {
        let ingestion = Ingestion {
            now: span.now,
            fresh_id: wearlab_clock::fresh_id,
            forms: DeprecatedForms::default(),
        };
        // The next days are generated while the last ones are written.
        let (sender, mut made) = mpsc::channel(2);
        let making =
            tokio::task::spawn_blocking(move || self.make(users, span, |batch| sender.blocking_send(batch).is_ok()));
        while let Some((days, arrivals)) = made.recv().await {
            store
                .write(|write| {
                    let mut taken = arrivals.iter().map(|arrival| write.ingest(arrival, &ingestion));
                    taken.try_for_each(|taken| taken.map(drop))
                })
                .await?;
            each(days);
        }
        making.await.map_err(|_| INVALID_DATA)?
    }

    /// Passes on the arrivals in order, with the number of their days, until `take` returns false.
    fn make(
        &self,
        users: Range<u32>,
        span: Span,
        mut take: impl FnMut((u64, Vec<ValidArrival>)) -> bool,
    ) -> Result<(), StoreError> {
        let (mut days, mut arrivals) = (0, Vec::new());
        for index in users {
            let (wearer, connections) = self.wearer(index).ok_or(INVALID_DATA)?;
            let last = wearer.clock.day(span.now.timestamp());
            let first = shifted(last, 1 - i64::from(span.days));
            let backfill = Backfill {
                wearer: &wearer,
                first: span.not_before.map_or(first, |earliest| first.max(earliest)),
                last,
                now: span.now.timestamp(),
            };
            let connected = Batch {
                days: 0,
                arrivals: connections,
            };
            for batch in std::iter::once(Ok(connected)).chain(backfill.batches()) {
                let batch = batch.map_err(|_| INVALID_DATA)?;
                for arrival in batch.arrivals {
                    arrivals.push(ValidArrival::try_from(arrival).map_err(|_| INVALID_DATA)?);
                }
                days += batch.days;
                if days >= TRANSACTION_DAYS && !take((std::mem::take(&mut days), std::mem::take(&mut arrivals))) {
                    return Ok(());
                }
            }
        }
        if !arrivals.is_empty() {
            take((days, arrivals));
        }
        Ok(())
    }

    /// Returns a user of the population as a wearer, and the connections that the user lacks for that.
    pub(super) fn wearer(&self, index: u32) -> Option<(Wearer, Vec<Arrival>)> {
        let mut user = None;
        let mut connections = Vec::new();
        for record in user_records(self.seed, self.teams[team_of(index)], &self.catalogue, index) {
            match record {
                Record::User(record) => user = Some(record),
                Record::Connection(connection) => connections.push(connection.provider),
                _ => {}
            }
        }
        let user = user?;
        let wearer = Wearer::of(self.seed, index, &user, &connections);
        let is_missing = |slug: &str| connections.iter().all(|known| known.slug != slug);
        let missing = wearer.providers().into_iter().filter(|slug| is_missing(slug));
        let made = missing.filter_map(|slug| {
            let mut providers = self.catalogue.providers.iter();
            let provider = providers.find(|provider| provider.supported.slug == slug)?;
            Some(Arrival::ConnectionMade(ConnectionMade {
                team_id: user.team_id,
                user_id: user.user_id,
                provider: connected(provider, user.created_on),
                arrival_id: None,
            }))
        });
        let made = made.collect();
        Some((wearer, made))
    }
}

fn connected(provider: &ProviderRecord, created_on: DateTime) -> ConnectedProvider {
    let supported = &provider.supported;
    ConnectedProvider::builder()
        .name(&supported.name)
        .slug(&supported.slug)
        .logo(supported.logo.as_deref().unwrap_or(NO_LOGO))
        .status(ConnectionStatus::Connected)
        .created_on(created_on)
        .resource_availability(BTreeMap::new())
        .build()
}
