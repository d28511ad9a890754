//! Takes the days of users into a store, as a provider's data come.

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

/// A mistake in the sample data themselves.
const MAKING: StoreError = StoreError::Document { what: "sample data" };

/// So many days are written in one transaction, of one user or of several.
const TOGETHER: u64 = 60;

/// Which days.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// So many, up to the day that the user's clock shows.
    pub(crate) days: u32,
    /// None before this one.
    pub(crate) not_before: Option<NaiveDate>,
    /// The time. What is later is not known yet.
    pub(crate) now: chrono::DateTime<Utc>,
}

/// The days of the users of a population.
pub(crate) struct Feed {
    seed: u64,
    teams: [Uuid; 3],
    catalogue: Catalogue,
}

impl Feed {
    /// Those of the users that a seed makes.
    ///
    /// # Errors
    ///
    /// Where the catalogue that comes with the program is invalid.
    pub(crate) fn new(seed: u64) -> Result<Self, StoreError> {
        Ok(Self {
            seed,
            teams: Sample::describe(seed).teams(),
            catalogue: Catalogue::load()?,
        })
    }

    /// Takes the days of users, by their indices, into a store that has these users. `each` is called with the number of days
    /// that were just kept. The same days again change nothing.
    ///
    /// # Errors
    ///
    /// Where the store fails, or does not have the users. Days of which `each` was told are kept.
    pub(crate) async fn run(
        self,
        store: &Store,
        users: Range<u32>,
        span: Span,
        mut each: impl FnMut(u64) + Send,
    ) -> Result<(), StoreError> {
        let ingestion = Ingestion {
            now: span.now,
            fresh_id: crate::clock::fresh_id,
            forms: DeprecatedForms::default(),
        };
        // The next days are made while the last ones are written.
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
        making.await.map_err(|_| MAKING)?
    }

    /// Hands on the arrivals in the order in which they came, with the number of their days, until `take` wants no more.
    fn make(
        &self,
        users: Range<u32>,
        span: Span,
        mut take: impl FnMut((u64, Vec<ValidArrival>)) -> bool,
    ) -> Result<(), StoreError> {
        let (mut days, mut arrivals) = (0, Vec::new());
        for index in users {
            let (wearer, connections) = self.wearer(index).ok_or(MAKING)?;
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
                let batch = batch.map_err(|_| MAKING)?;
                for arrival in batch.arrivals {
                    arrivals.push(ValidArrival::try_from(arrival).map_err(|_| MAKING)?);
                }
                days += batch.days;
                if days >= TOGETHER && !take((std::mem::take(&mut days), std::mem::take(&mut arrivals))) {
                    return Ok(());
                }
            }
        }
        if !arrivals.is_empty() {
            take((days, arrivals));
        }
        Ok(())
    }

    /// A user of the population as a wearer, and the connections that are missing for that.
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
