//! Writes over HTTP: each is one transaction, with its entry in the audit log and the stored response for repeats.

use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;
use wearlab_models::{Encoded, Violation};
use wearlab_server::{ApiError, Operation, check_if_match};
use wearlab_store::{Actor, IdempotencyOutcome, IdempotentRequest, OrganisationId, StoreError, TeamId, Transaction};

use super::auth::Caller;
use super::{Service, store_error};

/// Write of an operation, with its actor and its idempotency key.
pub(super) struct Write {
    operation: &'static str,
    actor: Actor,
    credential: std::sync::Arc<str>,
    is_repeatable: bool,
    repeat: Option<IdempotentRequest>,
}

impl Write {
    /// Creates a write of the owner of a key.
    pub(super) fn new<T>(operation: &Operation, caller: &Caller<T>) -> Self {
        let credential = caller.credential();
        Self {
            operation: operation.id,
            actor: caller.actor(),
            credential,
            // Nobody has an operator's credential afterwards.
            is_repeatable: !caller.is_operator(),
            repeat: None,
        }
    }

    /// Stores the response for the `Idempotency-Key`, if the request has one. `request` is all of its content:
    /// parameters and body.
    pub(super) fn repeatable(self, key: Option<&str>, request: &impl Serialize) -> Result<Self, ApiError> {
        let Some(key) = key.filter(|_| self.is_repeatable) else {
            return Ok(self);
        };
        let content = serde_json::to_vec(request).map_err(ApiError::internal)?;
        Ok(Self {
            repeat: Some(IdempotentRequest::new(&self.credential, key, self.operation, &content)),
            ..self
        })
    }
}

/// Result of a write.
pub(super) struct Written<T> {
    /// Value of the response.
    pub(super) response: T,
    pub(super) subject: Subject,
    /// User that the response is about: it is not repeated after their deletion.
    user: Option<(TeamId, Uuid)>,
}

impl<T> Written<T> {
    /// Sets the user of a team that the response is about.
    pub(super) fn about(self, team: TeamId, user_id: Uuid) -> Self {
        Self {
            user: Some((team, user_id)),
            ..self
        }
    }
}

/// Object that was written, for the audit log.
pub(super) enum Subject {
    /// Object of a team.
    Team(TeamId, String),
    /// User of a team.
    User(TeamId, Uuid),
    /// Object of an organisation that no team owns.
    Organisation(OrganisationId, String),
}

impl Subject {
    /// Creates the subject of a user.
    pub(super) fn user(team: TeamId, user_id: Uuid) -> Self {
        Self::User(team, user_id)
    }

    /// Creates the subject of an order.
    pub(super) fn order(team: TeamId, order_id: Uuid) -> Self {
        Self::Team(team, order_id.to_string())
    }

    /// Creates the result of a write to this.
    pub(super) fn wrote<T>(self, response: T) -> Written<T> {
        let user = match &self {
            Self::User(team, user_id) => Some((*team, *user_id)),
            Self::Team(..) | Self::Organisation(..) => None,
        };
        Written {
            response,
            subject: self,
            user,
        }
    }
}

/// Reason why nothing was written.
#[derive(Debug)]
pub(super) enum WriteError {
    Store(StoreError),
    Refused(ApiError),
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ApiError> for WriteError {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => store_error(error),
            WriteError::Refused(error) => error,
        }
    }
}

impl Service {
    /// Runs `work` in one transaction, or returns the stored response for a repeat. A failure writes nothing.
    pub(super) async fn write<T: Serialize + DeserializeOwned>(
        &self,
        write: Write,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<Written<T>, WriteError> + Send,
    ) -> Result<T, ApiError> {
        let now = (self.now)();
        let written = self.store()?.try_write(|transaction| {
            if let Some(request) = &write.repeat {
                match transaction.repeat(request, now)? {
                    IdempotencyOutcome::First => {}
                    IdempotencyOutcome::Again(response) => return serde_json::from_str(&response).map_err(unreadable),
                    IdempotencyOutcome::Other => return Err(other_request().into()),
                    IdempotencyOutcome::Deleted => return Err(deleted().into()),
                }
            }
            let Written {
                response,
                subject,
                user,
            } = work(transaction)?;
            let operation = write.operation;
            match &subject {
                Subject::Team(team, id) => transaction.audit(*team, &write.actor, now, operation, Some(id))?,
                Subject::User(team, id) => {
                    transaction.audit(*team, &write.actor, now, operation, Some(&id.to_string()))?;
                }
                Subject::Organisation(organisation, id) => {
                    transaction.audit_organisation(organisation, &write.actor, now, operation, Some(id))?;
                }
            }
            if let Some(request) = &write.repeat {
                let kept = serde_json::to_string(&response).map_err(unreadable)?;
                transaction.keep_response(request, &kept, user, now)?;
            }
            Ok(response)
        });
        written.await.map_err(ApiError::from)
    }
}

impl Service {
    /// Returns the stored response for a repeat, before any action that a transaction cannot roll back.
    pub(super) async fn kept<T: DeserializeOwned>(&self, write: &Write) -> Result<Option<T>, ApiError> {
        let Some(request) = &write.repeat else { return Ok(None) };
        let now = (self.now)();
        let kept = self
            .store()?
            .try_write(|transaction| match transaction.repeat(request, now)? {
                IdempotencyOutcome::First => Ok(None),
                IdempotencyOutcome::Again(response) => serde_json::from_str(&response).map(Some).map_err(unreadable),
                IdempotencyOutcome::Other => Err(other_request().into()),
                IdempotencyOutcome::Deleted => Err(deleted().into()),
            });
        kept.await.map_err(ApiError::from)
    }
}

fn unreadable(error: serde_json::Error) -> WriteError {
    ApiError::internal(error).into()
}

fn other_request() -> ApiError {
    invalid(
        "/header/Idempotency-Key",
        "used",
        "was used for another request within 24 hours",
    )
}

fn deleted() -> ApiError {
    invalid(
        "/header/Idempotency-Key",
        "used",
        "was used within 24 hours for a request about a user who was deleted since",
    )
}

/// Returns a 422 for one invalid value.
pub(super) fn invalid(location: &str, code: &str, message: &str) -> ApiError {
    let violation = Violation::builder().location(location).code(code).message(message);
    ApiError::invalid(vec![violation.build()])
}

/// Fails with 412 unless `If-Match`, if it was sent, names the object as a read returns it now.
pub(super) fn check_precondition<T>(if_match: Option<&str>, current: &Encoded<T>) -> Result<(), ApiError> {
    check_if_match(if_match, current.as_bytes())
}
