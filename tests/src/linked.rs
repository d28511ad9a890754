//! Configured providers, and connections with tokens.

use chrono::{TimeDelta, Utc};
use serde_json::json;
use wearlab_models::{ConnectedProvider, ProviderSettings, Secret, User, Uuid};
use wearlab_store::{
    NewPullTask, OAuthTokens, OrganisationId, PullTaskUpdate, StoreError, StoredProviderSettings, TeamId, Transaction,
};

use crate::Running;

/// Slug of a provider that a connector of the service sets up.
pub const CONNECTOR: &str = "connected";

/// Configures a provider for an organisation, and adds a connection with tokens to a user, without an event.
pub fn put(write: &Transaction<'_>, org_id: &str, team: TeamId, user_id: Uuid, slug: &str) -> Result<(), StoreError> {
    put_with_token(write, org_id, team, user_id, slug, &format!("access of {user_id}"))
}

/// Does the same with an access token.
pub fn put_with_token(
    write: &Transaction<'_>,
    org_id: &str,
    team: TeamId,
    user_id: Uuid,
    slug: &str,
    access_token: &str,
) -> Result<(), StoreError> {
    set_up(write, &write.put_organisation(org_id)?, slug)?;
    if write.connection(team, user_id, slug)?.is_none() {
        let connection: ConnectedProvider = value(json!({
            "name": "Stridewell", "slug": slug, "logo": "https://assets.example.com/logo.png", "status": "connected",
            "created_on": "2026-01-02T03:04:05Z", "resource_availability": {}, "error_details": null,
        }));
        write.put_connection(team, user_id, &connection)?;
    }
    let tokens = OAuthTokens {
        access_token: Secret::from(access_token),
        token_type: "Bearer".to_owned(),
        refresh_token: None,
        expires_at: None,
        scopes: Vec::new(),
        origins: None,
    };
    write.put_tokens(team, user_id, slug, &tokens, None, Uuid::now_v7())
}

/// Adds the tasks of a connector to a connection with tokens that no connector has pulled yet, one in each status, and
/// configures its provider as the connector does.
pub fn put_pulls(write: &Transaction<'_>, team: TeamId, user_id: Uuid, slug: &str) -> Result<(), StoreError> {
    let organisation = write.organisation_of(team.uuid())?;
    let organisation = organisation.ok_or(StoreError::Missing { what: "team" })?;
    set_up_connector(write, &organisation, slug)?;
    let now = Utc::now();
    let lease = |until| write.lease_pull_tasks(&[slug], now, until, 1_000, Uuid::now_v7);
    let of_user = |task: &wearlab_store::LeasedPullTask| task.team == team && task.user_id == user_id;
    let history = |pull: u128, resource: &str, next: u32| {
        json!({"pull": Uuid::from_u128(pull), "end": "2026-05-02", "days": 60, "window_days": 30, "next": next,
            "resources": [resource], "scheduled_at": now})
        .to_string()
    };
    let states = [
        ("recent:activity", "{}".to_owned()),
        ("recent:heart", "{}".to_owned()),
        ("recent:sleep", "{}".to_owned()),
        ("history:activity", history(1, "activity", 1)),
        ("history:sleep", history(2, "sleep", 2)),
    ];
    let new = states.map(|(name, state)| NewPullTask {
        name: name.to_owned(),
        priority: 1,
        due: now,
        state,
    });
    let finished = |due, state: &str, reason: Option<&str>| PullTaskUpdate {
        due,
        state: state.to_owned(),
        failures: u32::from(reason.is_some()),
        reason: reason.map(str::to_owned),
    };
    let (earlier, later) = (now - TimeDelta::minutes(2), Some(now + TimeDelta::hours(1)));
    let leased = lease(now + TimeDelta::minutes(5))?;
    for link in leased.iter().filter(|task| of_user(task)) {
        write.add_pull_tasks(link, &new)?;
        write.finish_pull_task(link, &finished(None, "{}", None), earlier)?;
    }
    for task in lease(now + TimeDelta::minutes(5))?.iter().filter(|task| of_user(task)) {
        let reason = match &*task.name {
            "recent:heart" => Some("forbidden"),
            "history:sleep" => Some("provider_unavailable"),
            // A process has it.
            "recent:sleep" => continue,
            _ => None,
        };
        write.finish_pull_task(task, &finished(later, &task.state, reason), earlier)?;
    }
    Ok(())
}

/// Configures a provider for an organisation.
pub fn set_up(write: &Transaction<'_>, organisation: &OrganisationId, slug: &str) -> Result<(), StoreError> {
    write.put_provider_settings(organisation, &stored(slug))
}

/// Configures the provider of a connector for an organisation, as the connector does.
pub fn set_up_connector(write: &Transaction<'_>, organisation: &OrganisationId, slug: &str) -> Result<(), StoreError> {
    let settings = StoredProviderSettings {
        is_provisioned: true,
        ..stored(slug)
    };
    write.put_provider_settings(organisation, &settings)
}

fn stored(slug: &str) -> StoredProviderSettings {
    let settings: ProviderSettings = value(json!({
        "slug": slug, "client_id": "wearlab", "authorization_url": "https://auth.example.com/authorize",
        "token_url": "https://auth.example.com/token", "scopes": {}, "extra_scopes": [],
        "token_auth_method": "client_secret_basic", "redirect_uri_mode": "own",
    }));
    StoredProviderSettings {
        settings,
        client_secret: Some(Secret::new("a secret")),
        earlier_origins: None,
        is_provisioned: false,
    }
}

fn value<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).expect("a value")
}

/// Creates a user of the sample's team whose connection has failed, and has no tokens.
pub async fn put_failed(running: &Running) -> Uuid {
    let sample = &running.sample;
    let user_id = Uuid::now_v7();
    let user: User = value(json!({
        "user_id": user_id, "team_id": sample.team_id, "client_user_id": format!("client-{user_id}"),
        "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"},
    }));
    let connection: ConnectedProvider = value(json!({
        "name": "Stridewell", "slug": sample.oauth_provider, "logo": "https://assets.example.com/logo.png",
        "status": "error", "created_on": "2026-01-02T03:04:05Z", "resource_availability": {},
        "error_details": {"error_type": "token_refresh_refused"},
    }));
    let put = running.store.write(|write| {
        let team = write
            .team(sample.team_id)?
            .ok_or(StoreError::Missing { what: "team" })?;
        write.put_user(team, &user)?;
        write.put_connection(team, user_id, &connection)
    });
    put.await.expect("a user");
    user_id
}
