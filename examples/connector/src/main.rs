//! Connector that pulls the data of users who linked a provider, and ingests them. It resumes after a kill.
//!
//! Every round lists the connections, pulls a few of them at a time, and sends all arrivals as one stream, at the rate
//! at which the service stores them. A cursor is saved once its arrivals are acknowledged.

#![expect(clippy::print_stderr, reason = "a program without a log of its own")]

mod cursors;
mod provider;
mod service;
mod settings;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use futures_util::stream::{self, Stream, StreamExt};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use wearlab_client::LinesUpload;
use wearlab_client::models::{ConnectionStatus, Secret, TeamConnection};

use crate::cursors::Cursors;
use crate::provider::{Cursor, Provider, ProviderError, Step};
use crate::service::{Service, arrival, failed};
use crate::settings::Settings;

/// Maximum concurrent pulls.
const CONCURRENT: usize = 4;

struct Connector {
    service: Service,
    provider: Provider,
    cursors: Cursors,
}

/// Result of one step of a connection.
struct Pulled {
    connection: Arc<TeamConnection>,
    arrivals: Vec<Value>,
    /// Cursor of the connection after these arrivals are stored.
    next: Option<Cursor>,
}

/// Numbers of lines, with the cursors that are saved once they are acknowledged.
type Pending = Arc<Mutex<VecDeque<(i64, Arc<TeamConnection>, Cursor)>>>;

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::from_env()?;
    let connector = Arc::new(Connector {
        service: Service::new(&settings)?,
        provider: Provider::new(settings.provider_url)?,
        cursors: Cursors::open(&settings.directory).context("cannot lock the directory of cursors")?,
    });
    loop {
        let round = connector.round().await;
        let Some(pause) = settings.every else { return round };
        // The next round repeats lines without an acknowledgement.
        if let Err(error) = round {
            eprintln!("the round ended early: {error:#}");
        }
        tokio::time::sleep(pause).await;
    }
}

impl Connector {
    /// Pulls all new data of every connection.
    async fn round(self: &Arc<Self>) -> Result<()> {
        let connections = self.service.connections().await.context("cannot list connections")?;
        let known: HashSet<_> = connections
            .iter()
            .map(|connection| connection.user_id.to_string())
            .collect();
        self.cursors.retain(|user| known.contains(user))?;

        let (sender, receiver) = mpsc::channel(CONCURRENT);
        // The tasks end with this round, even on an error.
        let mut pulls = JoinSet::new();
        pulls.spawn(self.clone().pull_all(connections, sender));
        let pending = Pending::default();
        let arrivals = LinesUpload::stream(lines(receiver, pending.clone()));

        let mut acknowledged = 0;
        let mut acknowledgements = self.service.ingest(arrivals).await.context("cannot ingest")?;
        while let Some(line) = acknowledgements.try_next().await? {
            if let Some(why) = line.stopped {
                bail!("the service ended the stream: {why}");
            }
            // It would be rejected again: the cursor moves on.
            if line.accepted.is_none() {
                let (field, reason) = (line.field.unwrap_or_default(), line.reason.unwrap_or_default());
                eprintln!("an arrival was rejected: {field}: {reason}");
            }
            acknowledged = line.line;
            self.save(&pending, acknowledged)?;
        }
        // Steps without arrivals have no acknowledgement.
        self.save(&pending, acknowledged)
    }

    /// Saves the cursors whose arrivals are acknowledged.
    fn save(&self, pending: &Pending, acknowledged: i64) -> Result<()> {
        let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((_, connection, cursor)) = pending.pop_front_if(|(line, ..)| *line <= acknowledged) {
            self.cursors.save(connection.user_id, connection.created_on, &cursor)?;
        }
        Ok(())
    }

    /// Pulls all connections. A failed one does not affect the others.
    async fn pull_all(self: Arc<Self>, connections: Vec<TeamConnection>, pulled: mpsc::Sender<Pulled>) {
        let connected = connections
            .into_iter()
            .filter(|connection| connection.status == ConnectionStatus::Connected);
        let pull = |connection| {
            let (connection, pulled, connector) = (Arc::new(connection), &pulled, &self);
            async move {
                let Err(error) = connector.pull(&connection, pulled).await else {
                    return;
                };
                eprintln!("user {}: {error:#}", connection.user_id);
                if matches!(error.downcast_ref(), Some(ProviderError::Unauthorized)) {
                    let arrivals = vec![failed(&connection)];
                    drop(
                        pulled
                            .send(Pulled {
                                connection,
                                arrivals,
                                next: None,
                            })
                            .await,
                    );
                }
            }
        };
        stream::iter(connected).for_each_concurrent(CONCURRENT, pull).await;
    }

    /// Pulls all data of a connection, step by step.
    async fn pull(&self, connection: &Arc<TeamConnection>, pulled: &mpsc::Sender<Pulled>) -> Result<()> {
        let known = self.cursors.load(connection.user_id, connection.created_on)?;
        let mut cursor = match known {
            Some(cursor) => cursor,
            None => self.begin(connection).await?,
        };
        loop {
            let token = self.access_token(connection).await?;
            let Step { data, next, is_last } = self.provider.step(token.expose(), &cursor).await?;
            cursor = next.clone();
            let pull = Pulled {
                connection: connection.clone(),
                arrivals: data.into_iter().map(|data| arrival(connection, data)).collect(),
                next: Some(next),
            };
            pulled.send(pull).await.context("the stream ended")?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Returns the first cursor. It is saved before any data are sent: after a crash, the historical pull is the same
    /// one.
    async fn begin(&self, connection: &TeamConnection) -> Result<Cursor> {
        let token = self.access_token(connection).await?;
        let first = self.provider.begin(token.expose()).await?;
        self.cursors.save(connection.user_id, connection.created_on, &first)?;
        Ok(first)
    }

    /// Requests an access token, before each step: the service refreshes it.
    async fn access_token(&self, connection: &TeamConnection) -> Result<Secret> {
        let token = self.service.access_token(connection.user_id).await;
        token.context("no access token")
    }
}

/// Converts the arrivals to lines, and records their numbers.
fn lines(pulled: mpsc::Receiver<Pulled>, pending: Pending) -> impl Stream<Item = Value> {
    let steps = stream::unfold(pulled, async |mut pulled| Some((pulled.recv().await?, pulled)));
    let mut count = 0;
    steps.flat_map(
        move |Pulled {
                  connection,
                  arrivals,
                  next,
              }| {
            count += i64::try_from(arrivals.len()).unwrap_or_default();
            let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.extend(next.map(|cursor| (count, connection, cursor)));
            stream::iter(arrivals)
        },
    )
}
