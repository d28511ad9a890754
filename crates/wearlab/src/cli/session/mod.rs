//! Where a command works: at a service, or on a store of this machine. It calls the operations of the API in both cases.

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

/// How long tests of destinations may take: longer than the service waits for them.
pub(super) const TESTS: Duration = Duration::from_secs(60);

/// The options of every command that calls operations.
#[derive(clap::Args)]
pub(super) struct ApiArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// URL of a service to work at, in place of a store of this machine: of its interface for users and link tokens, of its
    /// management address for the rest. The keys are in the variables WEARLAB_API_KEY and WEARLAB_MANAGEMENT_KEY.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "data", "database", "settings"])]
    base_url: Option<String>,
}

/// The option of commands that work for an organisation.
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
    /// Opens the store, or gets ready to call the service.
    pub(super) async fn session(&self) -> Result<Session> {
        self.open(Kinds::Unread).await
    }

    /// The same for a command that reaches destinations.
    pub(super) async fn sending_session(&self) -> Result<Session> {
        self.open(Kinds::Required).await
    }

    /// The same for a command that only says how destinations are.
    pub(super) async fn listing_session(&self) -> Result<Session> {
        self.open(Kinds::Optional).await
    }

    async fn open(&self, kinds: Kinds) -> Result<Session> {
        Ok(match &self.base_url {
            Some(url) => Session::Remote(Remote::new(url)?),
            None => Session::Local(Local::open(&self.store, kinds).await?),
        })
    }

    /// The options of the store, for what no operation does.
    pub(super) fn store(&self) -> &StoreArgs {
        &self.store
    }
}

/// Where a command works. A local one ends when this is dropped.
pub(super) enum Session {
    Remote(Remote),
    Local(Local),
}

impl Session {
    /// The organisation of the key, or all of the store; only `org` if it is given.
    pub(super) async fn organisations(&self, org: Option<&str>) -> Result<Vec<Organisation>> {
        match (self, org) {
            (Self::Remote(remote), org) => Ok(vec![remote.organisation(org)?]),
            (Self::Local(local), Some(org)) => Ok(vec![local.organisation(org).await?]),
            (Self::Local(local), None) => local.organisations().await,
        }
    }

    /// The organisation of a team, or the same as [`organisations`](Self::organisations) where none is given.
    pub(super) async fn organisations_with(&self, team: Option<Uuid>, org: Option<&str>) -> Result<Vec<Organisation>> {
        match team {
            Some(team) => Ok(vec![self.organisation_of(team, org).await?]),
            None => self.organisations(org).await,
        }
    }

    /// An organisation. Of a store, it must be named unless it is the only one.
    pub(super) async fn organisation(&self, org: Option<&str>) -> Result<Organisation> {
        let mut found = self.organisations(org).await?;
        match found.pop() {
            Some(organisation) if found.is_empty() => Ok(organisation),
            Some(_) => bail!("the store has several organisations: select one with --org"),
            None => bail!("the store has no organisation: import one"),
        }
    }

    /// The organisation of a team: that of the key, or the one that the store has it in.
    pub(super) async fn organisation_of(&self, team: Uuid, org: Option<&str>) -> Result<Organisation> {
        match self {
            Self::Remote(remote) => remote.organisation(org),
            Self::Local(local) => local.organisation_of(team, org).await,
        }
    }

    /// What acts for a team: that of the key, or the one that is named.
    pub(super) async fn team(&self, team: Option<Uuid>) -> Result<Client> {
        match (self, team) {
            (Self::Remote(remote), _) => remote.team(),
            (Self::Local(local), Some(team)) => local.team(team).await,
            (Self::Local(_), None) => bail!("missing team: give --team"),
        }
    }

    /// The error of a call. `what` fits after "failed to".
    pub(super) fn failed(&self, what: &str, error: &Error) -> anyhow::Error {
        match self {
            Self::Remote(remote) => remote.failed(what, error),
            Self::Local(local) => local.failed(what, error),
        }
    }

    /// Takes from the files of a store what they keep of users who were deleted. A service does so itself.
    pub(super) async fn scrub(&self) -> Result<()> {
        match self {
            Self::Remote(_) => Ok(()),
            Self::Local(local) => local.scrub().await,
        }
    }

    /// Waits for what was begun and not waited for, such as revoking a provider's tokens.
    pub(super) async fn finish(self) {
        if let Self::Local(local) = self {
            local.finish().await;
        }
    }
}
