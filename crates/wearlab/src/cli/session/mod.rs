//! Session of a command with a remote service or a local store. Both call the operations of the API.

mod errors;
mod local;
mod organisation;
mod remote;
#[cfg(test)]
mod tests;

use std::time::Duration;

use anyhow::{Result, bail};
use wearlab_client::{Client, Error};
use wearlab_models::Uuid;

use self::local::{Kinds, Local};
use self::remote::Remote;
use super::store_args::StoreArgs;

pub(super) use self::errors::is_absent;
pub(super) use self::organisation::Organisation;
pub(super) use self::remote::{builder, key};

/// Timeout of tests of destinations: longer than that of the service.
pub(super) const TESTS: Duration = Duration::from_secs(60);

/// Options of every command that calls operations.
#[derive(clap::Args)]
pub(super) struct ApiArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Base URL of a remote service, in place of a store on this machine: that of the API for users and link tokens,
    /// that of the management API for the rest. The keys are in the variables WEARLAB_API_KEY and
    /// WEARLAB_MANAGEMENT_KEY.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "data", "database", "settings"])]
    base_url: Option<String>,
}

/// Option of commands that work for an organisation.
#[derive(clap::Args)]
pub(super) struct OrgArg {
    /// Organisation [with --base-url, default: the value of WEARLAB_ORG_ID].
    #[arg(long, value_name = "ID")]
    org: Option<String>,
}

impl OrgArg {
    pub(super) fn id(&self) -> Option<&str> {
        self.org.as_deref()
    }
}

impl ApiArgs {
    /// Opens the store, or prepares calls of the remote service.
    pub(super) async fn session(&self) -> Result<Session> {
        self.open(Kinds::Unread).await
    }

    /// Opens a session of a command that connects to destinations.
    pub(super) async fn sending_session(&self) -> Result<Session> {
        self.open(Kinds::Required).await
    }

    /// Opens a session of a command that lists the states of destinations.
    pub(super) async fn listing_session(&self) -> Result<Session> {
        self.open(Kinds::Optional).await
    }

    async fn open(&self, kinds: Kinds) -> Result<Session> {
        Ok(match &self.base_url {
            Some(url) => Session::Remote(Remote::new(url)?),
            None => Session::Local(Local::open(&self.store, kinds).await?),
        })
    }

    /// Returns the options of the store, for commands without an operation.
    pub(super) fn store(&self) -> &StoreArgs {
        &self.store
    }
}

/// Session of a command. A local one ends when this is dropped.
pub(super) enum Session {
    Remote(Remote),
    Local(Local),
}

impl Session {
    /// Returns the organisation of the key, or all of the store; only `org` if it is given.
    pub(super) async fn organisations(&self, org: Option<&str>) -> Result<Vec<Organisation>> {
        match (self, org) {
            (Self::Remote(remote), org) => Ok(vec![remote.organisation(org)?]),
            (Self::Local(local), Some(org)) => Ok(vec![local.organisation(org).await?]),
            (Self::Local(local), None) => local.organisations().await,
        }
    }

    /// Returns the organisation of a team, or the same as [`organisations`](Self::organisations) without a team.
    pub(super) async fn organisations_with(&self, team: Option<Uuid>, org: Option<&str>) -> Result<Vec<Organisation>> {
        match team {
            Some(team) => Ok(vec![self.organisation_of(team, org).await?]),
            None => self.organisations(org).await,
        }
    }

    /// Returns one organisation. It must be named unless the store has only one.
    pub(super) async fn organisation(&self, org: Option<&str>) -> Result<Organisation> {
        let mut found = self.organisations(org).await?;
        match found.pop() {
            Some(organisation) if found.is_empty() => Ok(organisation),
            Some(_) => bail!("the store has several organisations: select one with --org"),
            None => bail!("the store has no organisation: import one"),
        }
    }

    /// Returns the organisation of a team: that of the key, or the one in the store.
    pub(super) async fn organisation_of(&self, team: Uuid, org: Option<&str>) -> Result<Organisation> {
        match self {
            Self::Remote(remote) => remote.organisation(org),
            Self::Local(local) => local.organisation_of(team, org).await,
        }
    }

    /// Returns a client for a team: that of the key, or the given one.
    pub(super) async fn team(&self, team: Option<Uuid>) -> Result<Client> {
        match (self, team) {
            (Self::Remote(remote), _) => remote.team(),
            (Self::Local(local), Some(team)) => local.team(team).await,
            (Self::Local(_), None) => bail!("missing team: give --team"),
        }
    }

    /// Converts the error of a call. `what` fits after "failed to".
    pub(super) fn failed(&self, what: &str, error: &Error) -> anyhow::Error {
        match self {
            Self::Remote(remote) => remote.failed(what, error),
            Self::Local(local) => local.failed(what, error),
        }
    }

    /// Removes the data of deleted users from the files of a store. A remote service does so itself.
    pub(super) async fn scrub(&self) -> Result<()> {
        match self {
            Self::Remote(_) => Ok(()),
            Self::Local(local) => local.scrub().await,
        }
    }

    /// Waits for background requests, such as revoking a provider's tokens.
    pub(super) async fn finish(self) {
        if let Self::Local(local) = self {
            local.finish().await;
        }
    }
}
