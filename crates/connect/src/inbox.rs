//! Inbox of the notices of providers: verifies each, and makes the tasks due that it concerns, before it is answered.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_clock::deadline;
use wearlab_ingest::{Arrival, DataDeleted, ValidArrival};
use wearlab_linking::Linker;
use wearlab_models::{ConnectionError, ResourceName, Secret};
use wearlab_store::{AccountConnection, HISTORY_TASKS, RECENT_TASKS, StoreError, Transaction};

use crate::connector::{Connector, NoticeSecret};
use crate::notice::{Change, Document, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Received, is_one_of};
use crate::request::{PAUSE, look_up, request};
use crate::span::Span;

/// Maximum time of the write of notices. Providers wait for 2 seconds, and repeat what is not answered.
const WRITE_TIMEOUT: Duration = Duration::from_millis(1500);

/// Counter of notices, by the slug of the provider and the outcome.
pub type NoticeObserver = Box<dyn Fn(&'static str, &'static str) + Send + Sync>;

/// Receives the notices of the providers of some connectors.
pub struct Inbox {
    connectors: BTreeMap<&'static str, Connector>,
    linker: Box<dyn Fn() -> Option<Linker> + Send + Sync>,
    observer: NoticeObserver,
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox")
            .field("providers", &self.connectors.keys())
            .finish_non_exhaustive()
    }
}

impl Inbox {
    /// Creates the inbox of some connectors. `linker` returns the store, or none while it is not open.
    pub fn new(
        connectors: impl IntoIterator<Item = Connector>,
        linker: impl Fn() -> Option<Linker> + Send + Sync + 'static,
        observer: NoticeObserver,
    ) -> Self {
        let by_slug = |connector: Connector| (connector.provider.profile().slug, connector);
        Self {
            connectors: connectors.into_iter().map(by_slug).collect(),
            linker: Box::new(linker),
            observer,
        }
    }

    /// Receives a request to the address of the notices of a provider. `path_secret` is the secret of its path. The returned
    /// response is to be sent: what it acknowledges is stored.
    pub async fn receive(&self, slug: &str, path_secret: &str, request: &NoticeRequest<'_>) -> NoticeResponse {
        let Some((slug, connector)) = self.connectors.get_key_value(slug) else {
            return NoticeResponse::new(404);
        };
        let Some(linker) = (self.linker)() else {
            self.count(slug, "unavailable");
            return NoticeResponse::new(503);
        };
        let secrets = |of| connector.notice_secrets(&linker.store, of);
        let paths = secrets(NoticeSecret::Path);
        if !is_one_of(path_secret, paths.iter().map(Secret::expose)) {
            self.count(slug, "wrong_address");
            return NoticeResponse::new(404);
        }
        // Anyone can sign with an empty one.
        let Some(client_secret) = connector
            .settings
            .client_secret
            .clone()
            .filter(|it| !it.expose().is_empty())
        else {
            return NoticeResponse::new(404);
        };
        let secrets = NoticeSecrets {
            client_secret,
            verification_tokens: secrets(NoticeSecret::Verification),
        };
        match connector.provider.receive(request, &secrets) {
            Received::Unsupported => NoticeResponse::new(404),
            Received::Check(response) => {
                self.count(slug, "check");
                response
            }
            Received::Forged { response, reason } => {
                tracing::warn!(provider = slug, reason, "refused a notice of a provider");
                self.count(slug, "forged");
                response
            }
            Received::Notices {
                response,
                notices,
                unreadable,
            } => {
                if let Err(status) = self.store(&linker, connector, &notices).await {
                    notices.iter().for_each(|_| self.count(slug, "unavailable"));
                    return NoticeResponse::new(status);
                }
                if unreadable > 0 {
                    tracing::warn!(
                        provider = slug,
                        count = unreadable,
                        "notices of a provider cannot be read"
                    );
                }
                (0..unreadable).for_each(|_| self.count(slug, "unreadable"));
                response
            }
        }
    }

    /// Writes what follows from notices, in one transaction without those that the store refuses: they would be refused each
    /// time. The error is the status of the response.
    async fn store(&self, linker: &Linker, connector: &Connector, notices: &[Notice]) -> Result<(), u16> {
        let slug = connector.provider.profile().slug;
        let written = linker.store.write(|write| {
            let outcomes =
                notices.iter().map(
                    |notice| match write.attempt(|write| apply(write, linker, connector, notice)) {
                        Err(error) if !error.is_transient() && !error.ends_writes() => {
                            tracing::error!(
                                provider = slug,
                                error = &error as &dyn std::error::Error,
                                "a notice of a provider is not followed: the store refuses it"
                            );
                            Ok("failed")
                        }
                        outcome => outcome,
                    },
                );
            outcomes.collect::<Result<Vec<_>, _>>()
        });
        let written = deadline::within(WRITE_TIMEOUT, written);
        match tokio::time::timeout(WRITE_TIMEOUT, written).await {
            Ok(Ok(outcomes)) => {
                outcomes.into_iter().for_each(|outcome| self.count(slug, outcome));
                Ok(())
            }
            Ok(Err(error)) => {
                tracing::warn!(
                    provider = slug,
                    error = &error as &dyn std::error::Error,
                    "cannot store a notice of a provider"
                );
                Err(503)
            }
            Err(_) => {
                tracing::warn!(provider = slug, "a notice of a provider was not stored in time");
                Err(503)
            }
        }
    }

    fn count(&self, slug: &'static str, outcome: &'static str) {
        (self.observer)(slug, outcome);
    }
}

/// Applies a notice to the connections of its account. Returns the outcome for the counter.
///
/// A user who is not known yet needs no more: the task after the link reads everything anew once it knows the account.
fn apply(
    write: &mut Transaction<'_>,
    linker: &Linker,
    connector: &Connector,
    notice: &Notice,
) -> Result<&'static str, StoreError> {
    let slug = connector.provider.profile().slug;
    let mut outcome = "unknown_user";
    for connection in write.connections_of_account(slug, &notice.provider_user_id)? {
        // The notice is about the operator's client. Organisations may have one of their own.
        let settings = write.provider_settings(&connection.organisation, slug)?;
        if !settings.is_some_and(|settings| settings.is_provisioned) {
            continue;
        }
        outcome = "accepted";
        match &notice.change {
            Change::Data {
                collections,
                days,
                document,
            } => {
                let days = match (days, document) {
                    (None, Some(document)) => days_of(&summaries_of(write, &connection, document)?),
                    (days, _) => *days,
                };
                for name in *collections {
                    request(write, connector, &connection, (name, days), (linker.now)())?;
                }
            }
            Change::Document { collections, document } => {
                let days = days_of(&summaries_of(write, &connection, document)?);
                for name in *collections {
                    request(write, connector, &connection, (name, days), (linker.now)())?;
                }
                if let (None, [name, ..]) = (days, collections) {
                    look_up(write, &connection, (name, &document.provider_id), (linker.now)())?;
                }
            }
            Change::Deleted { collection, document } => {
                delete(write, linker, connector, &connection, (collection, document))?;
            }
            Change::Deauthorised { at } if *at >= connection.created_on => {
                let error = ConnectionError::builder()
                    .error_type("deauthorized")
                    .error_message("The user ended the consent at the provider.")
                    .errored_at(at.fixed_offset())
                    .build();
                let (team, user_id) = (connection.team, connection.user_id);
                write.fail_connection(team, user_id, slug, error, &linker.ingestion())?;
            }
            Change::Deauthorised { .. } => {}
        }
    }
    Ok(outcome)
}

/// Returns the summaries of a document: their resources, ids and days.
fn summaries_of<'d>(
    write: &Transaction<'_>,
    connection: &AccountConnection,
    document: &'d Document,
) -> Result<Vec<(&'d ResourceName, Uuid, NaiveDate)>, StoreError> {
    let mut summaries = Vec::new();
    for resource in document.resources {
        let found = write.summaries_of_provider_id(connection, resource, &document.provider_id)?;
        summaries.extend(found.into_iter().map(|(id, day)| (resource, id, day)));
    }
    Ok(summaries)
}

/// Returns the days of summaries, and a day more on both sides: a correction may move them. None if there are no summaries: a new
/// document is of the last days.
fn days_of(summaries: &[(&ResourceName, Uuid, NaiveDate)]) -> Option<Span> {
    let days = || summaries.iter().map(|(_, _, day)| *day);
    let (first, last) = days().min().zip(days().max())?;
    Some(Span {
        first: first.pred_opt().unwrap_or(first),
        last: last.succ_opt().unwrap_or(last),
    })
}

/// Deletes the summaries of a document. Pulls in progress may have read it before: they begin anew. The days of the summaries
/// are read again: a late or repeated notice may be of a document that the provider has again.
fn delete(
    write: &mut Transaction<'_>,
    linker: &Linker,
    connector: &Connector,
    connection: &AccountConnection,
    (collection, document): (&str, &Document),
) -> Result<(), StoreError> {
    let summaries = summaries_of(write, connection, document)?;
    let days = days_of(&summaries);
    for (resource, id, _) in summaries {
        let deleted = Arrival::DataDeleted(DataDeleted {
            team_id: connection.team.uuid(),
            user_id: connection.user_id,
            provider: connection.provider.clone(),
            resource: resource.clone(),
            source: None,
            id: Some(id),
            start_date: None,
            end_date: None,
            start: None,
            end: None,
            arrival_id: None,
        });
        let what = "invalid deletion";
        let deleted = ValidArrival::try_from(deleted).map_err(|_| StoreError::Conflict { what })?;
        write.ingest(&deleted, &linker.ingestion())?;
    }
    let now = (linker.now)();
    for task in [RECENT_TASKS, HISTORY_TASKS] {
        write.end_pull_lease(connection, &format!("{task}{collection}"), now + PAUSE)?;
    }
    request(write, connector, connection, (collection, days), now)
}
