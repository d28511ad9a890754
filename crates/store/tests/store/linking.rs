//! What linking a provider keeps: link tokens of users, authorization requests, settings, and tokens of connections.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;
use wearlab_models::{ConnectionStatus, ProviderSettings, Secret};
use wearlab_store::{
    AuthorizationSecrets, ConnectionFilter, ConnectionTokens, DeprecatedForms, EventFilter, Ingestion, KeyHash,
    LinkOptions, LinkedConnection, NewAuthorization, OAuthTokens, OrganisationId, PendingAuthorization, ProviderRecord,
    Returned, Store, StoreError, StoredProviderSettings, TeamId, Transaction,
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

/// Something in each table of linking, about a user who has a connection with `stridewell`.
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

/// A world with a user who has a link token.
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

#[tokio::test]
async fn a_link_token_is_of_its_user_and_its_time() {
    let world = linking().await;
    let found = world
        .store
        .link_token(TOKEN, now())
        .await
        .expect("reads")
        .expect("good");
    assert_eq!((found.team, found.user_id), (world.team, Some(user_id())));
    assert_eq!(found.options, LinkOptions::default());
    for (token, minutes) in [("other", 0), (TOKEN, 60)] {
        let found = world.store.link_token(token, now() + TimeDelta::minutes(minutes)).await;
        assert_eq!(found.expect("reads"), None, "{token} {minutes}");
    }
    // Those of teams as a whole are as before.
    let expires = now() + TimeDelta::hours(1);
    world
        .write(|write| write.put_link_token(world.team, "of the team", expires))
        .await;
    let found = world
        .store
        .link_token("of the team", now())
        .await
        .expect("reads")
        .expect("good");
    assert_eq!((found.team, found.user_id), (world.team, None));
    let page = world
        .store
        .link_tokens(world.team, now(), None, 1)
        .await
        .expect("reads");
    assert_eq!(page.link_tokens.len(), 1);
    let page = world
        .store
        .link_tokens(world.team, now(), page.next, 1)
        .await
        .expect("reads");
    assert_eq!((page.link_tokens.len(), page.next), (1, None));
    let others = world
        .store
        .link_tokens(world.sister, now(), None, 9)
        .await
        .expect("reads");
    assert!(others.link_tokens.is_empty());

    let id = KeyHash::of(TOKEN).id();
    for (team, id, deleted) in [
        (world.sister, id.as_str(), false),
        (world.team, "0000000000000000", false),
        (world.team, "no id", false),
        (world.team, id.as_str(), true),
        (world.team, id.as_str(), false),
    ] {
        assert_eq!(world.write(|write| write.delete_link_token(team, id)).await, deleted);
    }
    assert_eq!(world.store.link_token(TOKEN, now()).await.expect("reads"), None);
}

#[tokio::test]
async fn a_state_is_good_once_for_its_browser_and_its_time() {
    let world = linking().await;
    begin(&world, "state", Some("session")).await;
    assert!(matches!(
        returned(&world, "other", Some("session"), 1).await,
        Returned::Unknown
    ));
    let Returned::First(pending) = returned(&world, "state", Some("session"), 1).await else {
        panic!("it is the first")
    };
    assert_eq!((pending.team, pending.user_id), (world.team, user_id()));
    assert_eq!(
        (&pending.organisation, pending.provider.as_str()),
        (&world.ours, "stridewell")
    );
    assert_eq!(pending.secrets, secrets());
    assert!(matches!(
        returned(&world, "state", Some("session"), 1).await,
        Returned::Again(_)
    ));
    assert!(matches!(
        returned(&world, "state", Some("other"), 1).await,
        Returned::OtherBrowser
    ));
    assert!(matches!(
        returned(&world, "state", Some("session"), 1).await,
        Returned::Again(_)
    ));

    begin(&world, "late", None).await;
    assert!(matches!(returned(&world, "late", None, 10).await, Returned::Unknown));
    for session in [None, Some("another")] {
        begin(&world, "elsewhere", Some("session")).await;
        assert!(matches!(
            returned(&world, "elsewhere", session, 1).await,
            Returned::OtherBrowser
        ));
        let spoilt = returned(&world, "elsewhere", Some("session"), 1).await;
        assert!(matches!(spoilt, Returned::Unknown), "{spoilt:?}");
    }
}

#[tokio::test]
async fn only_so_many_users_are_under_way_by_one_token() {
    let world = linking().await;
    for number in 0..25 {
        begin(&world, &format!("state {number}"), None).await;
    }
    let mut good = 0;
    for number in 0..25 {
        good += i32::from(matches!(
            returned(&world, &format!("state {number}"), None, 1).await,
            Returned::First(_)
        ));
    }
    assert_eq!(good, 20);
}

#[tokio::test]
async fn a_link_is_one_transaction_and_needs_its_request() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    assert_eq!(linked.tokens, tokens(1));
    assert_eq!((linked.team, linked.user_id), (world.team, user_id()));
    assert_eq!(events(&world).await, ["provider.connection.created"]);
    let pending = first(&world, "gone").await;
    let id = KeyHash::of(TOKEN).id();
    assert!(world.write(|write| write.delete_link_token(world.team, &id)).await);
    let made = connection("stridewell", "2026-05-01T10:02:00Z");
    let kept = world
        .write(|write| write.link(&pending, made, &tokens(2), None, &ingestion(now())))
        .await;
    assert!(!kept);
    assert_eq!(
        linked_one(&world.store, world.team).await.expect("tokens").tokens,
        tokens(1)
    );
    assert_eq!(events(&world).await.len(), 1);
}

#[tokio::test]
async fn tokens_end_with_their_connection_and_their_user() {
    let world = linking().await;
    link(&world, 1).await;
    let ended = world
        .write(|write| {
            let ended = write.linked_connections(world.team, user_id(), Some("stridewell"))?;
            write.delete_connection(world.team, user_id(), "stridewell")?;
            Ok(ended)
        })
        .await;
    assert_eq!(ended.len(), 1);
    assert!(linked_one(&world.store, world.team).await.is_none());
    link(&world, 2).await;
    begin(&world, "under way", None).await;
    assert!(world.store.forget(world.team, user_id()).await.expect("forgets"));
    assert!(matches!(
        returned(&world, "under way", None, 1).await,
        Returned::Unknown
    ));
    assert_eq!(world.store.link_token(TOKEN, now()).await.expect("reads"), None);
    let due = now() + TimeDelta::days(9);
    assert!(world.store.due_refreshes(due, 9).await.expect("reads").is_empty());
}

#[tokio::test]
async fn one_process_at_a_time_refreshes() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    let (early, due) = (now() + TimeDelta::minutes(49), now() + TimeDelta::minutes(50));
    let until = due + TimeDelta::minutes(2);
    assert!(world.store.due_refreshes(early, 9).await.expect("reads").is_empty());
    assert_eq!(world.store.due_refreshes(due, 9).await.expect("reads"), [linked.id]);
    let lease = async |at: DateTime<Utc>| {
        world
            .write(|write| write.lease_refresh(linked.id, at, at + TimeDelta::minutes(2), true))
            .await
    };
    assert!(lease(early).await.is_none(), "it is too early");
    let leased = lease(due).await.expect("a lease");
    assert!(!leased.is_uncertain());
    assert!(lease(due).await.is_none(), "somebody has it");
    assert!(world.store.due_refreshes(due, 9).await.expect("reads").is_empty());
    // Its holder has died.
    assert_eq!(world.store.due_refreshes(until, 9).await.expect("reads"), [linked.id]);
    let taken = lease(until).await.expect("a lease");
    assert!(taken.is_uncertain(), "the one before may have got tokens");

    let later = Some(now() + TimeDelta::hours(2));
    let save = async |of: &LinkedConnection, number| {
        world
            .write(|write| write.save_refreshed(of, &tokens(number), later, &ingestion(now())))
            .await
    };
    assert!(save(&taken, 2).await);
    assert!(!save(&leased, 3).await, "it is late");
    let linked = linked_one(&world.store, world.team).await.expect("tokens");
    assert_eq!((linked.tokens.clone(), linked.refreshing_until), (tokens(2), None));
    assert!(!linked.is_uncertain());
    let again = link(&world, 4).await;
    assert!(!save(&linked, 5).await, "it was linked again");
    assert_eq!(again.tokens, tokens(4));
}

#[tokio::test]
async fn a_refusal_is_an_error_and_an_event_once() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    let error = || value(json!({"error_type": "refused", "errored_at": NOW}), json!({}));
    let refuse = async |of: &LinkedConnection| {
        world
            .write(|write| write.refuse_refresh(of, error(), &ingestion(now())))
            .await
    };
    assert!(refuse(&linked).await);
    assert!(!refuse(&linked).await);
    let found = world.store.connection_tokens(world.team, user_id(), "stridewell").await;
    assert!(matches!(
        found.expect("reads"),
        Some(ConnectionTokens::None(ConnectionStatus::Error))
    ));
    let created = "provider.connection.created";
    assert_eq!(events(&world).await, [created, "provider.connection.error"]);
    link(&world, 2).await;
    assert_eq!(events(&world).await, [created, "provider.connection.error", created]);
}

#[tokio::test]
async fn a_failure_keeps_the_tokens_and_a_refresh_repairs_the_connection() {
    let world = linking().await;
    let linked = link(&world, 1).await;
    let due = now() + TimeDelta::hours(1);
    let error = value(json!({"error_type": "down"}), json!({}));
    world
        .write(|write| {
            write.put_off_refresh(&linked, due, true)?;
            write.fail_connection(world.team, user_id(), "stridewell", error, &ingestion(now()))
        })
        .await;
    let failed = linked_one(&world.store, world.team).await.expect("tokens");
    assert_eq!(
        (failed.failures, failed.refresh_due, failed.is_uncertain()),
        (1, Some(due), true)
    );
    assert_eq!(failed.status, ConnectionStatus::Error);
    let saved = world
        .write(|write| write.save_refreshed(&failed, &tokens(2), None, &ingestion(now())))
        .await;
    assert!(saved);
    let repaired = linked_one(&world.store, world.team).await.expect("tokens");
    assert_eq!((repaired.failures, repaired.status), (0, ConnectionStatus::Connected));
    let created = "provider.connection.created";
    assert_eq!(events(&world).await, [created, "provider.connection.error", created]);
}

#[tokio::test]
async fn an_exchange_that_was_cut_short_is_found() {
    let world = linking().await;
    let pending = first(&world, "state").await;
    let (before, after) = (now(), now() + TimeDelta::minutes(1));
    assert!(!world.store.has_interrupted_authorizations(before).await.expect("reads"));
    assert!(world.store.has_interrupted_authorizations(after).await.expect("reads"));
    let found = world.write(|write| write.interrupted_authorizations(after)).await;
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), [pending.id]);
    // Its token stays as long as that, and goes then.
    let late = now() + TimeDelta::days(1);
    begin(&world, "not back", None).await;
    assert_eq!(world.write(|write| write.delete_link_tokens(late)).await, 0);
    assert!(world.write(|write| write.end_authorization(pending.id)).await);
    assert_eq!(world.write(|write| write.delete_link_tokens(late)).await, 1);
}

#[tokio::test]
async fn settings_are_of_their_organisation() {
    let world = linking().await;
    let of = async |organisation| {
        let found = world.store.provider_settings(organisation, "stridewell").await;
        found.expect("reads").map(|stored| stored.client_secret)
    };
    assert_eq!(
        of(&world.ours).await,
        Some(Some(Secret::new("client-secret-of-stridewell")))
    );
    assert_eq!(of(&world.theirs).await, None);
    let linkable = async |team| world.store.linkable_providers(team).await.expect("reads").len();
    assert_eq!(
        [
            linkable(world.team).await,
            linkable(world.sister).await,
            linkable(world.stranger).await
        ],
        [1, 1, 0]
    );
    let delete = async |organisation| {
        world
            .write(|write| write.delete_provider_settings(organisation, "stridewell"))
            .await
    };
    assert!(!delete(&world.theirs).await);
    assert!(delete(&world.ours).await);
    assert!(!delete(&world.ours).await);
}

#[tokio::test]
async fn connections_are_listed_by_organisation_and_page() {
    let world = linking().await;
    let slugs = ["stridewell", "pulsebay", "tidalbeat"];
    world
        .write(|write| {
            for (team, id) in [(world.team, 21), (world.stranger, 22), (world.sister, 23)] {
                write.put_user(team, &user(team, id, NOW))?;
                for slug in slugs {
                    let mut made = connection(slug, NOW);
                    if slug == "pulsebay" {
                        made.status = ConnectionStatus::Error;
                    }
                    write.put_connection(team, Uuid::from_u128(id), &made)?;
                }
            }
            Ok(())
        })
        .await;
    let list = async |filter: ConnectionFilter<'_>, limit| {
        let page = world
            .store
            .connections_of_organisation(&world.ours, &filter, limit)
            .await;
        let page = page.expect("reads");
        let of = page.connections.into_iter();
        let of: Vec<_> = of.map(|one| (one.user_id.as_u128(), one.connection.slug)).collect();
        (of, page.next)
    };
    let (all, next) = list(ConnectionFilter::default(), 100).await;
    assert_eq!((all.len(), next), (6, None));
    let mut walked = Vec::new();
    let mut after = None;
    loop {
        let filter = ConnectionFilter {
            after,
            ..ConnectionFilter::default()
        };
        let (page, next) = list(filter, 2).await;
        walked.extend(page);
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(walked, all);
    let status = ConnectionStatus::Error;
    for (filter, count) in [
        (
            ConnectionFilter {
                provider: Some("tidalbeat"),
                ..ConnectionFilter::default()
            },
            2,
        ),
        (
            ConnectionFilter {
                team_id: Some(world.sister.uuid()),
                ..ConnectionFilter::default()
            },
            3,
        ),
        (
            ConnectionFilter {
                team_id: Some(world.stranger.uuid()),
                ..ConnectionFilter::default()
            },
            0,
        ),
        (
            ConnectionFilter {
                status: Some(&status),
                ..ConnectionFilter::default()
            },
            2,
        ),
    ] {
        assert_eq!(list(filter.clone(), 100).await.0.len(), count, "{filter:?}");
    }
}

#[tokio::test]
async fn redirect_urls_are_a_list_of_their_team() {
    let world = World::new().await;
    let urls = ["https://b.example/", "https://a.example/"].map(str::to_owned);
    world.write(|write| write.put_redirect_urls(world.team, &urls)).await;
    assert_eq!(world.store.redirect_urls(world.team).await.expect("reads"), urls);
    assert!(world.store.redirect_urls(world.sister).await.expect("reads").is_empty());
    world
        .write(|write| write.put_redirect_urls(world.team, &urls[1..]))
        .await;
    assert_eq!(world.store.redirect_urls(world.team).await.expect("reads"), urls[1..]);
}

/// On the embedded engine, whose files can be read.
#[tokio::test]
async fn what_linking_keeps_is_encrypted() {
    let directory = tempfile::tempdir().expect("a directory");
    let keys = |number: u8| vec![[number; 32].into()];
    let open = |keys: &[wearlab_store::SecretKey]| {
        Store::open_with(directory.path(), &wearlab_store::EmbeddedSettings::default(), keys)
    };
    let fill = async |store: &Store| {
        store
            .write(|write| {
                let organisation = write.put_organisation("org_ours")?;
                let team = crate::world::put_team(write, 1, &organisation)?;
                write.put_user(team, &user(team, USER, NOW))?;
                write.put_connection(team, user_id(), &connection("stridewell", NOW))?;
                put(write, &organisation, team, user_id())
            })
            .await
            .expect("writes");
    };
    let shown = || {
        let mut shown = Vec::new();
        for entry in std::fs::read_dir(directory.path()).expect("a directory") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            for secret in [
                "access-secret",
                "refresh-secret",
                "client-secret",
                "verifier-secret",
                "state-secret",
                "session-secret",
                TOKEN,
            ] {
                if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                    shown.push(secret);
                }
            }
        }
        shown
    };
    // Kept as it is first, and encrypted when there is a key.
    let plain = open(&[]).expect("opens");
    fill(&plain).await;
    drop(plain);
    let never = ["state-secret", "session-secret", TOKEN];
    assert!(!shown().is_empty() && shown().iter().all(|secret| !never.contains(secret)));
    drop(open(&keys(1)).expect("opens"));
    assert_eq!(shown(), Vec::<&str>::new());
    // With a newer key before it, and then with that alone.
    drop(open(&[keys(2), keys(1)].concat()).expect("opens"));
    assert!(open(&keys(1)).is_err());
    let store = open(&keys(2)).expect("opens");
    assert_eq!(shown(), Vec::<&str>::new());
    let team = store
        .write(|write| write.team(Uuid::from_u128(1)))
        .await
        .expect("reads");
    let linked = linked_one(&store, team.expect("a team")).await.expect("tokens");
    assert_eq!(linked.tokens, tokens(1));
    let returned = store.write(|write| write.return_from_provider("state-secret", Some("session-secret"), now()));
    let Returned::First(pending) = returned.await.expect("reads") else {
        panic!("it is good")
    };
    assert_eq!(pending.secrets, secrets());
}

/// On the embedded engine: what a store of an earlier version has in plain text stays readable.
#[tokio::test]
async fn without_a_key_tokens_are_refused_where_plain_text_is() {
    let world = linking().await;
    let (due, until) = (now() + TimeDelta::minutes(60), now() + TimeDelta::minutes(62));
    world
        .write(|write| {
            write.put_connection(world.team, user_id(), &connection("stridewell", NOW))?;
            write.put_tokens(
                world.team,
                user_id(),
                "stridewell",
                &tokens(1),
                Some(now()),
                Uuid::from_u128(5),
            )
        })
        .await;
    let linked = linked_one(&world.store, world.team).await.expect("tokens");
    world.store.refuse_plaintext();
    let refused = |found: Result<(), StoreError>| matches!(found, Err(StoreError::NoSecretKey { .. }));
    let (hash, secrets) = (KeyHash::of(TOKEN), secrets());
    let new = NewAuthorization {
        link_token: &hash,
        provider: "stridewell",
        state: "another state",
        session: None,
        expires: due,
        secrets: &secrets,
    };
    let store = &world.store;
    assert!(refused(
        store.write(|write| write.put_authorization_request(&new)).await
    ));
    let put = store.write(|write| {
        write.put_tokens(
            world.team,
            user_id(),
            "stridewell",
            &tokens(2),
            None,
            Uuid::from_u128(6),
        )
    });
    assert!(refused(put.await));
    assert!(refused(
        store
            .write(|write| write.put_provider_settings(&world.ours, &settings("stridewell")))
            .await
    ));
    // Before the provider is asked, whose earlier token would end with the new one.
    let leased = store.write(|write| write.lease_refresh(linked.id, now(), until, true).map(drop));
    assert!(refused(leased.await));
    let found = linked_one(store, world.team).await.expect("tokens");
    assert_eq!((found.tokens, found.refreshing_until), (tokens(1), None));
    // Others lose nothing by it.
    world
        .write(|write| write.put_redirect_urls(world.team, &["https://app.example/".to_owned()]))
        .await;
}

#[tokio::test]
async fn a_link_token_of_a_clock_that_is_ahead_is_not_valid() {
    let world = linking().await;
    for (minutes, is_valid) in [
        (60, true),
        (65, true),
        (66, false),
        (60 * 24, false),
        (60 * 24 * 365, false),
    ] {
        let (token, expires) = (format!("for {minutes}"), now() + TimeDelta::minutes(minutes));
        world
            .write(|write| write.put_user_link_token(world.team, user_id(), &token, &LinkOptions::default(), expires))
            .await;
        let found = world.store.link_token(&token, now()).await.expect("reads");
        assert_eq!(found.is_some(), is_valid, "{minutes} minutes");
        let listed = world
            .store
            .link_tokens(world.team, now(), None, 100)
            .await
            .expect("reads");
        let is_listed = listed.link_tokens.iter().any(|found| found.hash == KeyHash::of(&token));
        assert_eq!(is_listed, is_valid, "{minutes} minutes");
    }
}
