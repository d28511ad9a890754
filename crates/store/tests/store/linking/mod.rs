//! Storage of linking: link tokens of users, authorization requests, settings, tokens of connections, and tasks of connectors.

mod authorization;
mod connections;
mod encryption;
mod link_tokens;
mod notices;
mod pull_leases;
mod pull_tasks;
mod pulls;
mod settings;
mod tokens;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;
use wearlab_models::{ProviderSettings, Secret};
use wearlab_store::{
    AuthorizationSecrets, ConnectionTokens, DeprecatedForms, EventFilter, Ingestion, KeyHash, LinkOptions,
    LinkedConnection, NewAuthorization, OAuthTokens, OrganisationId, PendingAuthorization, ProviderRecord, Returned,
    Store, StoreError, StoredProviderSettings, TeamId, Transaction,
};

use crate::world::{World, connection, user, value};

const NOW: &str = "2026-05-01T10:00:00Z";
const USER: u128 = 11;
const TOKEN: &str = "wl_link_of_the_user";

fn at(time: &str) -> DateTime<Utc> {
    time.parse().expect("a time")
}

fn now() -> DateTime<Utc> {
    at(NOW)
}

fn ingestion(now: DateTime<Utc>) -> Ingestion {
    Ingestion {
        now,
        fresh_id: Uuid::new_v4,
        forms: DeprecatedForms::default(),
    }
}

fn tokens(number: u32) -> OAuthTokens {
    OAuthTokens {
        access_token: Secret::new(format!("access-secret-{number}")),
        token_type: "Bearer".to_owned(),
        refresh_token: Some(Secret::new(format!("refresh-secret-{number}"))),
        expires_at: Some(now() + TimeDelta::hours(1)),
        scopes: vec!["sleep".to_owned()],
        origins: None,
    }
}

fn settings(slug: &str) -> StoredProviderSettings {
    let settings: ProviderSettings = value(
        json!({
            "slug": slug, "client_id": "wearlab", "authorization_url": "https://auth.example/authorize",
            "token_url": "https://auth.example/token", "scopes": {}, "extra_scopes": [],
            "token_auth_method": "client_secret_basic",
        }),
        json!({}),
    );
    StoredProviderSettings {
        settings,
        client_secret: Some(Secret::new(format!("client-secret-of-{slug}"))),
        earlier_origins: None,
        is_provisioned: false,
    }
}

fn secrets() -> AuthorizationSecrets {
    AuthorizationSecrets {
        code_verifier: Some(Secret::new("verifier-secret")),
        has_own_redirect_uri: false,
        token_origin: None,
        redirect_uri: "https://link.example/link/callback".to_owned(),
        scopes: vec!["sleep".to_owned()],
        link_token: None,
    }
}

/// Adds rows to each table of linking, for a user with a connection to `stridewell`.
pub(crate) fn put(
    write: &Transaction<'_>,
    organisation: &OrganisationId,
    team: TeamId,
    user_id: Uuid,
) -> Result<(), StoreError> {
    write.put_provider_settings(organisation, &settings("stridewell"))?;
    write.put_redirect_urls(team, &["https://app.example/linked".to_owned()])?;
    write.put_tokens(team, user_id, "stridewell", &tokens(1), Some(now()), Uuid::from_u128(5))?;
    write.put_provider_user(team, user_id, "stridewell", Some("theirs"))?;
    let expires = now() + TimeDelta::hours(1);
    write.put_user_link_token(team, user_id, TOKEN, &LinkOptions::default(), expires)?;
    let (hash, secrets) = (KeyHash::of(TOKEN), secrets());
    write.put_authorization_request(&NewAuthorization {
        link_token: &hash,
        provider: "stridewell",
        state: "state-secret",
        session: Some("session-secret"),
        expires,
        secrets: &secrets,
    })
}

fn user_id() -> Uuid {
    Uuid::from_u128(USER)
}

/// Creates a world with a user who has a link token.
async fn linking() -> World {
    let world = World::new().await;
    let provider: ProviderRecord = value(
        json!({
            "source_type": "device",
            "supported": {"name": "Stridewell", "slug": "stridewell", "description": "", "logo": null},
            "link": {"name": "Stridewell", "slug": "stridewell", "description": "", "id": 7},
        }),
        json!({}),
    );
    world
        .write(|write| {
            write.put_provider(&provider)?;
            write.put_user(world.team, &user(world.team, USER, NOW))?;
            write.put_provider_settings(&world.ours, &settings("stridewell"))?;
            let expires = now() + TimeDelta::hours(1);
            write.put_user_link_token(world.team, user_id(), TOKEN, &LinkOptions::default(), expires)
        })
        .await;
    world
}

async fn begin(world: &World, state: &str, session: Option<&str>) {
    let secrets = secrets();
    let hash = KeyHash::of(TOKEN);
    let new = NewAuthorization {
        link_token: &hash,
        provider: "stridewell",
        state,
        session,
        expires: now() + TimeDelta::minutes(10),
        secrets: &secrets,
    };
    world.write(|write| write.put_authorization_request(&new)).await;
}

async fn returned(world: &World, state: &str, session: Option<&str>, minutes: i64) -> Returned {
    let now = now() + TimeDelta::minutes(minutes);
    world
        .write(|write| write.return_from_provider(state, session, now))
        .await
}

async fn first(world: &World, state: &str) -> PendingAuthorization {
    begin(world, state, None).await;
    match returned(world, state, None, 1).await {
        Returned::First(pending) => *pending,
        other => panic!("{other:?}"),
    }
}

/// Links the user, and returns the connection.
async fn link(world: &World, number: u32) -> LinkedConnection {
    let pending = first(world, &format!("state {number}")).await;
    let made = connection("stridewell", &format!("2026-05-01T10:0{number}:00Z"));
    let due = Some(now() + TimeDelta::minutes(50));
    let linked = world
        .write(|write| write.link(&pending, made, &tokens(number), due, &ingestion(now())))
        .await;
    assert!(linked);
    linked_one(&world.store, world.team).await.expect("tokens")
}

async fn linked_one(store: &Store, team: TeamId) -> Option<LinkedConnection> {
    match store
        .connection_tokens(team, user_id(), "stridewell")
        .await
        .expect("reads")
    {
        Some(ConnectionTokens::Linked(linked)) => Some(*linked),
        _ => None,
    }
}

async fn events(world: &World) -> Vec<String> {
    let events = world.store.events(&EventFilter::default(), 100).await.expect("reads");
    events.into_iter().map(|event| event.event_type).collect()
}
