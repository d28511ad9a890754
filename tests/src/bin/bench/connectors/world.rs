//! A store with linked users, and a puller on it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tokio::sync::oneshot;
use uuid::Uuid;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{Connector, Puller};
use wearlab_linking::settings::LinkingSettings;
use wearlab_linking::{Linker, Linking};
use wearlab_models::{ConnectedProvider, Environment, Region, Secret, User};
use wearlab_store::{DeprecatedForms, EmbeddedSettings, OAuthTokens, SecretKey, Store, TeamRecord};

use super::band::{Band, SLUG};
use super::server::Server;

pub(super) const CLIENT_SECRET: &str = "secret";

/// Seconds that the clock is ahead.
static AHEAD: AtomicI64 = AtomicI64::new(0);

pub(super) fn now() -> DateTime<Utc> {
    Utc::now() + TimeDelta::seconds(AHEAD.load(Ordering::Relaxed))
}

/// Sets the clock ahead.
pub(super) fn advance(by: TimeDelta) {
    AHEAD.fetch_add(by.num_seconds(), Ordering::Relaxed);
}

/// Linked users in an embedded store.
pub(super) struct World {
    pub(super) store: Store,
    pub(super) connector: Connector,
    pub(super) band: Arc<Band>,
    users: u32,
}

/// Returns the id of a user, which is its access token, too.
pub(super) fn user_id(number: u32) -> Uuid {
    Uuid::from_u128(1000 + u128::from(number))
}

impl World {
    /// Creates a store whose users have just linked the provider.
    pub(super) async fn linked(directory: &Path, server: &Server, users: u32, history_days: u32) -> Result<Self> {
        let store = Store::open_with(directory, &EmbeddedSettings::default(), &[SecretKey::from([7; 32])])?;
        let team = TeamRecord {
            team_id: Uuid::from_u128(1),
            org_id: "org_bench".to_owned(),
            environment: Environment::Sandbox,
            region: Region::Eu,
        };
        let team = store
            .write(|write| {
                write.put_organisation("org_bench")?;
                write.put_team(&team)
            })
            .await?;
        let band = Arc::new(Band::default());
        let connector = Connector {
            provider: band.clone(),
            settings: ConnectorSettings {
                client_id: Some("client".to_owned()),
                client_secret: Some(Secret::from(CLIENT_SECRET)),
                history_days: Some(history_days),
                notices: Some(true),
                base_url: Some(server.url().to_owned()),
                ..ConnectorSettings::default()
            },
        };
        let world = Self {
            store,
            connector,
            band,
            users,
        };
        world.puller()?.provision().await?;
        let linked_on = now();
        for numbers in (0..users).collect::<Vec<_>>().chunks(1000) {
            let made = numbers.iter().map(|number| {
                let user_id = user_id(*number);
                let user: User = serde_json::from_value(json!({
                    "user_id": user_id, "team_id": Uuid::from_u128(1), "client_user_id": user_id.to_string(),
                    "created_on": linked_on, "connected_sources": [],
                    "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": linked_on},
                }))?;
                Ok((user_id, user))
            });
            let made: Vec<_> = made.collect::<Result<_>>()?;
            let connection: ConnectedProvider = serde_json::from_value(json!({
                "name": "Band", "slug": SLUG, "logo": "https://assets.example.com/logo.png", "status": "connected",
                "created_on": linked_on, "resource_availability": {}, "error_details": null,
            }))?;
            let put = world.store.write(|write| {
                made.iter().try_for_each(|(user_id, user)| {
                    write.put_user(team, user)?;
                    write.put_connection(team, *user_id, &connection)?;
                    write.put_tokens(team, *user_id, SLUG, &tokens(*user_id), None, Uuid::now_v7())
                })
            });
            put.await?;
        }
        Ok(world)
    }

    pub(super) fn users(&self) -> usize {
        self.users as usize
    }

    pub(super) fn linker(&self) -> Linker {
        let settings = LinkingSettings {
            allow_http: true,
            allow_networks: "127.0.0.0/8".parse().into_iter().collect(),
            ..LinkingSettings::default()
        };
        Linker {
            linking: Arc::new(Linking::new(settings, "http://127.0.0.1:8080")),
            store: self.store.clone(),
            now,
            forms: DeprecatedForms::default(),
        }
    }

    fn puller(&self) -> Result<Puller> {
        Puller::new(self.linker(), vec![self.connector.clone()]).context("cannot pull")
    }

    /// Subscribes to notices. Returns their URL.
    pub(super) async fn subscribe(&self) -> Result<String> {
        self.puller()?.subscribe_due().await?;
        self.band.notices_url().context("there is no subscription")
    }

    /// Pulls as the service does, until nothing is due.
    pub(super) async fn pull(&self) -> Result<()> {
        let puller = Arc::new(self.puller()?);
        let (stop, stopped) = oneshot::channel::<()>();
        let pulling = tokio::spawn(puller.run(async { drop(stopped.await) }));
        while self.is_due().await? {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drop(stop);
        pulling.await?;
        Ok(())
    }

    /// Returns whether a task is due or in progress.
    async fn is_due(&self) -> Result<bool> {
        Ok(self
            .store
            .next_pull_task_due(&[SLUG])
            .await?
            .is_some_and(|due| due <= now() + TimeDelta::minutes(5)))
    }
}

fn tokens(user_id: Uuid) -> OAuthTokens {
    OAuthTokens {
        access_token: Secret::new(user_id.to_string()),
        token_type: "Bearer".to_owned(),
        refresh_token: None,
        expires_at: None,
        scopes: Vec::new(),
        origins: None,
    }
}
