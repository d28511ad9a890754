//! Ingestion of arrivals and import of records over HTTP.

mod audit;
mod lines;
mod owner;

use std::sync::Arc;

use axum::body::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt};
use wearlab_intake::import::{ImportOptions, Records};
use wearlab_intake::ingest::Arrivals;
use wearlab_intake::{Acknowledging, LineHandler, Permission, acknowledgements};
use wearlab_models::{Acknowledgement, NoteCode};
use wearlab_server::operations::{IMPORT_RECORDS, INGEST_ARRIVALS};
use wearlab_server::{ApiError, ImportRecordsInput, IngestArrivalsInput, IntakeApi, Lines, Operation, Scoped};
use wearlab_store::{Actor, Ingestion, KeyScope, OrganisationId, Store, StoreError, TeamId};

use self::audit::StreamAudit;
use self::lines::OwnedLines;
pub(super) use self::owner::Owner;
use super::auth::Caller;
use super::{Service, no_team, store_error};

/// Sender of lines, whose key is checked again during the stream.
pub(super) struct Sender {
    pub(super) owner: Owner,
    pub(super) key: Arc<str>,
    pub(super) scope: KeyScope,
    actor: Actor,
}

impl Sender {
    /// Creates the sender of a team that ingests arrivals.
    fn ingesting(team: Caller<TeamId>) -> Self {
        let actor = team.actor();
        let (team, key) = team.into_parts();
        Self {
            owner: Owner::Team(team),
            key,
            scope: KeyScope::Ingest,
            actor,
        }
    }

    /// Creates the sender of an organisation that imports records, or of one of its teams.
    fn importing(organisation: Option<Caller<OrganisationId>>, team: Option<Caller<TeamId>>) -> Result<Self, ApiError> {
        let organisation = organisation.filter(|organisation| organisation.has_scope("admin"));
        let (owner, key, actor) = match (organisation, team) {
            (Some(organisation), _) => {
                let actor = organisation.actor();
                let (organisation, key) = organisation.into_parts();
                (Owner::Organisation(organisation), key, actor)
            }
            (None, Some(team)) => {
                let actor = team.actor();
                let (team, key) = team.into_parts();
                (Owner::Team(team), key, actor)
            }
            // The router ensures that there is a key.
            (None, None) => return Err(ApiError::unauthorized("A key is missing.")),
        };
        let scope = KeyScope::Admin;
        Ok(Self {
            owner,
            key,
            scope,
            actor,
        })
    }

    /// Creates the entry of the lines in the audit log.
    fn audit(&self, operation: &Operation, now: fn() -> DateTime<Utc>) -> StreamAudit {
        StreamAudit::new(self.owner.clone(), self.actor.clone(), operation, now)
    }
}

impl IntakeApi for Service {
    async fn ingest_arrivals(
        &self,
        team: Caller<TeamId>,
        input: IngestArrivalsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        let sender = Sender::ingesting(team);
        let (now, forms) = (self.now, self.forms);
        let arrivals = Arrivals {
            ingestion: move || Ingestion {
                now: now(),
                fresh_id: wearlab_clock::fresh_id,
                forms,
            },
            rejected: match input.strict {
                true => NoteCode::KNOWN.to_vec(),
                false => self.rejected_notes.clone(),
            },
        };
        let audit = sender.audit(&INGEST_ARRIVALS, self.now);
        self.receive(sender, OwnedLines { audit, lines: arrivals }, input.body)
            .await
    }

    async fn import_records(
        &self,
        organisation: Option<Caller<OrganisationId>>,
        team: Option<Caller<TeamId>>,
        input: ImportRecordsInput,
    ) -> Result<Lines<Acknowledgement>, ApiError> {
        let sender = Sender::importing(organisation, team)?;
        let records = Records {
            options: ImportOptions {
                strict: false,
                now: (self.now)(),
            },
            egress: Some(self.egress.clone()),
        };
        let audit = sender.audit(&IMPORT_RECORDS, self.now);
        self.receive(sender, OwnedLines { audit, lines: records }, input.body)
            .await
    }
}

impl Service {
    async fn receive<T, B>(&self, sender: Sender, handler: T, body: B) -> Result<Lines<Acknowledgement>, ApiError>
    where
        T: LineHandler<Value: 'static> + Send + Sync + 'static,
        B: Stream<Item = Result<Bytes, ApiError>> + Send + Unpin + 'static,
    {
        let store = self.store()?.clone();
        let organisation = match &sender.owner {
            Owner::Organisation(organisation) => organisation.clone(),
            Owner::Team(team) => {
                let found = store.organisation_of_team(team.uuid()).await.map_err(store_error)?;
                found.ok_or_else(no_team)?
            }
        };
        let place = self.streams.take(&organisation)?;
        let intake = Acknowledging {
            permission: sender,
            store,
            handler,
            stopping: self.stopping.subscribe(),
        };
        let acknowledgements = acknowledgements(intake, body).map(move |acknowledgement| {
            // Held until the stream is dropped.
            let _ = &place;
            Ok(acknowledgement)
        });
        Ok(Lines::new(acknowledgements))
    }
}

impl Permission for Sender {
    async fn holds(&self, store: &Store) -> Result<bool, StoreError> {
        let scopes = match self.owner {
            Owner::Team(_) => store.team_key(&self.key).await?.map(|key| key.scopes),
            Owner::Organisation(_) => store.management_key(&self.key).await?.map(|key| key.scopes),
        };
        Ok(scopes.is_some_and(|scopes| scopes.contains(self.scope)))
    }
}
