//! Configured providers, and connections with tokens.

use serde_json::json;
use wearlab_models::{ConnectedProvider, ProviderSettings, Secret, User, Uuid};
use wearlab_store::{OAuthTokens, OrganisationId, StoreError, StoredProviderSettings, TeamId, Transaction};

use crate::Running;

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

/// Configures a provider for an organisation.
pub fn set_up(write: &Transaction<'_>, organisation: &OrganisationId, slug: &str) -> Result<(), StoreError> {
    let settings: ProviderSettings = value(json!({
        "slug": slug, "client_id": "wearlab", "authorization_url": "https://auth.example.com/authorize",
        "token_url": "https://auth.example.com/token", "scopes": {}, "extra_scopes": [],
        "token_auth_method": "client_secret_basic", "redirect_uri_mode": "own",
    }));
    let stored = StoredProviderSettings {
        settings,
        client_secret: Some(Secret::new("a secret")),
        earlier_origins: None,
        is_provisioned: false,
    };
    write.put_provider_settings(organisation, &stored)
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
