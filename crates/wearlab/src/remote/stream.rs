//! One connection, which sends lines and receives acknowledgements at the same time.

use std::time::Duration;

use axum::body::Bytes;
use futures_util::{FutureExt, stream};
use tokio::sync::mpsc;
use wearlab_client::{Client, Error, Lines, Upload};
use wearlab_intake::{IntakeError, LineError, LineLocation, Progress, Summary};
use wearlab_models::{Acknowledgement, StopReason};

use super::endpoint::{Endpoint, RemoteError};
use super::pending::Pending;
use super::source::{Batch, Source};

/// Timeout of a stream, which must not end it.
const NO_TIMEOUT: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Reason why a connection ended before all lines were acknowledged.
pub(super) enum Ended {
    /// The connection is lost, for this reason. Another one may continue.
    Lost(String),
    Failed(RemoteError),
}

impl From<RemoteError> for Ended {
    fn from(error: RemoteError) -> Self {
        Self::Failed(error)
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        let is_timeout = matches!(error, Error::Timeout(_) | Error::Decoding { .. });
        match error.is_retryable() || is_timeout || error.status().is_some_and(|status| status == 500) {
            true => Self::Lost(error.to_string()),
            false => Self::Failed(RemoteError::Refused(Box::new(error))),
        }
    }
}

/// State of a stream: unacknowledged lines, and the summary of the acknowledged ones.
pub(super) struct Stream<'a> {
    pub(super) source: Source,
    pub(super) pending: Pending,
    pub(super) summary: Summary,
    pub(super) progress: &'a mut (dyn Progress + Send),
}

impl Stream<'_> {
    /// Sends lines over one connection until all are acknowledged.
    pub(super) async fn run(&mut self, client: &Client, endpoint: Endpoint) -> Result<(), Ended> {
        let (sender, receiver) = mpsc::channel::<Bytes>(2);
        let parts = stream::unfold(receiver, async |mut receiver| {
            let part = receiver.recv().await?;
            Some((Ok::<_, std::io::Error>(part), receiver))
        });
        let opening = open(client, endpoint, Upload::stream(parts));
        tokio::pin!(opening);
        let mut sender = Some(sender);
        let mut acknowledgements: Option<Lines<Acknowledgement>> = None;
        loop {
            if self.source.is_over() && !self.pending.has_unsent() {
                // Ends the body.
                sender = None;
            }
            tokio::select! {
                biased;
                opened = &mut opening, if acknowledgements.is_none() => acknowledgements = Some(opened?),
                next = next(&mut acknowledgements), if acknowledgements.is_some() => match next? {
                    Some(next) => self.acknowledged(next, &mut acknowledgements)?,
                    None if self.source.is_over() && self.pending.is_empty() => return Ok(()),
                    None => return Err(Ended::Lost("the response ended before the lines".to_owned())),
                },
                permit = reserve(&sender), if sender.is_some() && self.pending.has_unsent() => match permit {
                    Some(permit) => drop(permit.send(self.pending.part())),
                    // The connection is lost. The response has the reason.
                    None => sender = None,
                },
                batch = self.source.next(), if !self.source.is_over() && self.pending.has_room() => {
                    self.read(batch)?;
                }
            }
        }
    }

    fn read(&mut self, batch: Option<Batch>) -> Result<(), RemoteError> {
        for line in batch.transpose()?.unwrap_or_default() {
            match line {
                Ok(line) => self.pending.push(line),
                Err((location, error)) => self.refused(&location, &error),
            }
        }
        Ok(())
    }

    fn refused(&mut self, location: &LineLocation, error: &LineError) {
        self.summary.refused += 1;
        self.progress.refused(location, error);
    }

    /// Handles an acknowledgement, and those after it that have already arrived.
    fn acknowledged(&mut self, first: Acknowledgement, more: &mut Option<Lines<Acknowledgement>>) -> Result<(), Ended> {
        let mut next = Some(first);
        let (mut last, mut ended) = (None, Ok(()));
        while let Some(acknowledgement) = next.take() {
            match self.take(acknowledgement) {
                Ok(location) => last = Some(location),
                Err(end) => {
                    ended = Err(end);
                    break;
                }
            }
            let ready = self::next(more).now_or_never();
            match ready.transpose() {
                Ok(found) => next = found.flatten(),
                Err(error) => ended = Err(error.into()),
            }
        }
        if let Some((location, read)) = last {
            self.progress.done(read);
            self.progress.committed(&location).map_err(|source| {
                let error = IntakeError::Acknowledge { location, source };
                RemoteError::Intake(error)
            })?;
        }
        ended
    }

    /// Handles one acknowledgement. Returns the location of its line, and the bytes of the inputs up to its end.
    fn take(&mut self, acknowledgement: Acknowledgement) -> Result<(LineLocation, u64), Ended> {
        let Acknowledgement {
            line: number,
            accepted,
            dropped_days,
            notes,
            field,
            reason,
            stopped,
            ..
        } = acknowledgement;
        let reason = reason.unwrap_or_default();
        if let Some(stopped) = stopped {
            return Err(match stopped {
                StopReason::ShuttingDown | StopReason::Unavailable | StopReason::BrokenBody => Ended::Lost(reason),
                _ => RemoteError::Stopped(reason).into(),
            });
        }
        let Some(line) = self.pending.acknowledge(number) else {
            let reason = format!("it acknowledged line {number}, which was not sent or is not next");
            return Err(RemoteError::Stopped(reason).into());
        };
        match accepted {
            Some(kind) => {
                *self.summary.taken.entry(kind.into()).or_default() += 1;
                self.summary.dropped_days += dropped_days.unwrap_or_default().unsigned_abs();
                self.summary.note(&line.location, &notes, self.progress);
            }
            None => {
                let error = LineError::new(field.unwrap_or_default(), reason);
                self.refused(&line.location, &error);
            }
        }
        Ok((line.location, line.read))
    }
}

async fn open(client: &Client, endpoint: Endpoint, body: Upload) -> Result<Lines<Acknowledgement>, Error> {
    let response = match endpoint {
        Endpoint::Ingest { strict } => {
            let call = client.ingest_arrivals(body).timeout(NO_TIMEOUT).deadline(NO_TIMEOUT);
            // The parameter is sent only if it is set, since older services do not have it.
            let call = if strict { call.strict(true) } else { call };
            call.send().await?
        }
        Endpoint::Import => {
            client
                .import_records(body)
                .timeout(NO_TIMEOUT)
                .deadline(NO_TIMEOUT)
                .send()
                .await?
        }
    };
    Ok(response.into_inner())
}

async fn next(lines: &mut Option<Lines<Acknowledgement>>) -> Result<Option<Acknowledgement>, Error> {
    match lines {
        Some(lines) => lines.try_next().await,
        None => Ok(None),
    }
}

async fn reserve(sender: &Option<mpsc::Sender<Bytes>>) -> Option<mpsc::OwnedPermit<Bytes>> {
    sender.clone()?.reserve_owned().await.ok()
}
