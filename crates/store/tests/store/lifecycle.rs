//! Life cycle of connections: created, failed, ended and created again. Events and reads.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ConnectionStatus};
use wearlab_store::{DeprecatedForms, Ingested, ValidArrival};

use crate::arriving::{
    NO_FORMS, USER, arrival, at, connections, day, ingest, ingest_with, made, payloads, types, world,
};
use crate::world::{World, connection, value};
use Ingested::{Duplicate, Taken};

const CREATED: &str = "provider.connection.created";
const ERROR: &str = "provider.connection.error";

fn ringer(created_on: &str) -> ConnectedProvider {
    let scopes = json!({"required": ["read"], "optional": []});
    let none = json!({"required": [], "optional": ["write"]});
    let availability = json!({"steps": {"status": "available",
        "scope_requirements": {"user_granted": scopes, "user_denied": none}}});
    let base = serde_json::to_value(connection("ringer", created_on)).expect("JSON");
    value(base, json!({ "resource_availability": availability }))
}

fn failed() -> ValidArrival {
    let details = json!({"error_type": "token_expired", "errored_at": "2026-03-01T00:00:00Z"});
    arrival(
        "connection_failed",
        json!({"provider": "ringer", "error_details": details}),
    )
}

fn ended() -> ValidArrival {
    arrival("connection_ended", json!({"provider": "ringer"}))
}

async fn ringers(world: &World) -> (Vec<ConnectedProvider>, usize) {
    let mut connections = connections(world, world.team).await;
    connections.retain(|connection| connection.slug == "ringer");
    let user = world.user(world.team, USER).await.expect("the user");
    let sources = user
        .connected_sources
        .iter()
        .filter(|source| source.source.slug == "ringer");
    (connections, sources.count())
}

#[tokio::test]
async fn a_connection_that_is_made_is_reported_and_shown() {
    for (forms, with_source) in [(NO_FORMS, false), (DeprecatedForms::default(), true)] {
        let world = world().await;
        let ringer = ringer("2026-02-01T00:00:00+01:00");
        assert_eq!(
            ingest_with(&world, &[made(&ringer), made(&ringer)], forms).await,
            [Taken, Duplicate]
        );
        assert_eq!(ringers(&world).await, (vec![ringer.clone()], 1));
        let provider = json!({"name": "The ringer", "slug": "ringer", "logo": "https://logos.example/ringer.svg"});
        let mut data = json!({
            "provider": provider, "user_id": Uuid::from_u128(USER), "resource_availability": ringer.resource_availability,
        });
        if with_source {
            data["source"] = provider;
        }
        let expected =
            json!({"event_type": CREATED, "client_user_id": "client-7", "team_id": Uuid::from_u128(1), "data": data});
        assert_eq!(payloads(&world).await, [expected]);
    }
}

#[tokio::test]
async fn one_that_fails_shows_why_and_one_that_ends_is_gone() {
    let world = world().await;
    let first = ringer("2026-02-01T00:00:00Z");
    assert_eq!(
        ingest(&world, &[made(&first), failed(), failed()]).await,
        [Taken, Taken, Duplicate]
    );
    let (shown, sources) = ringers(&world).await;
    assert_eq!(shown[0].status, ConnectionStatus::Error);
    let details = shown[0].error_details.as_ref().expect("details");
    assert_eq!(details.error_type.as_deref(), Some("token_expired"));
    assert_eq!(details.errored_at, Some(at("2026-03-01T00:00:00Z").into()));
    assert_eq!(
        (shown[0].resource_availability.clone(), sources),
        (first.resource_availability.clone(), 1)
    );

    assert_eq!(types(&world).await, [CREATED, ERROR], "once");
    let told = payloads(&world).await.remove(1);
    assert_eq!(told["data"]["user_id"], json!(Uuid::from_u128(USER)));
    assert_eq!(told["data"]["provider"], "ringer");
    assert_eq!(told["data"]["error_details"], json!(details));
    assert_eq!(told.get("user_id"), None, "it is in the data");

    // The same connection works again.
    assert_eq!(ingest(&world, &[made(&first)]).await, [Taken]);
    assert_eq!(ringers(&world).await, (vec![first.clone()], 1));
    assert_eq!(types(&world).await, [CREATED, ERROR, CREATED]);

    assert_eq!(ingest(&world, &[ended(), ended()]).await, [Taken, Duplicate]);
    assert_eq!(ringers(&world).await, (vec![], 0));
    assert_eq!(ingest(&world, &[made(&first)]).await, [Taken]);
    assert_eq!(types(&world).await, [CREATED, ERROR, CREATED, CREATED], "it had ended");
    let later = ringer("2026-04-01T00:00:00Z");
    assert_eq!(ingest(&world, &[made(&later)]).await, [Taken]);
    assert_eq!(ringers(&world).await, (vec![later], 1));
    assert_eq!(
        types(&world).await[2..],
        [CREATED, CREATED, CREATED],
        "made at another time"
    );
}

#[tokio::test]
async fn one_that_is_made_again_as_it_was_keeps_what_data_reported() {
    let world = world().await;
    let bare = connection("ringer", "2026-02-01T00:00:00Z");
    let floors = arrival("data", json!({"provider": "ringer", "resource": "floors_climbed"}));
    assert_eq!(ingest(&world, &[made(&bare), floors]).await, [Taken, Taken]);
    let (before, _) = ringers(&world).await;
    assert_eq!(before[0].resource_availability.len(), 1);
    assert_eq!(ingest(&world, &[made(&bare)]).await, [Duplicate]);
    assert_eq!(ringers(&world).await.0, before);

    // An import changes the connection.
    let imported = ringer("2026-02-01T00:00:00Z");
    world
        .write(|write| write.put_connection(world.team, Uuid::from_u128(USER), &imported))
        .await;
    assert_eq!(ingest(&world, &[made(&bare)]).await, [Taken]);
    assert_eq!(ringers(&world).await.0, [bare]);
    assert_eq!(types(&world).await.len(), 2);
}

#[tokio::test]
async fn data_need_a_connection() {
    let world = world().await;
    let ingestion = crate::arriving::ingestion(NO_FORMS);
    let refused = async |arrival| {
        crate::arriving::try_ingest(&world.store, &arrival, &ingestion)
            .await
            .is_err()
    };
    let end = arrival("connection_ended", json!({}));
    assert_eq!(ingest(&world, &[day("2026-05-01", 1), end]).await, [Taken, Taken]);
    assert!(refused(day("2026-05-02", 1)).await);
    let again = connection("stridewell", "2026-05-03T00:00:00Z");
    assert_eq!(
        ingest(&world, &[made(&again), day("2026-05-01", 1), day("2026-05-02", 1)]).await,
        [Taken, Duplicate, Taken]
    );
    let payload: &Value = &payloads(&world).await[1];
    assert_eq!(payload["event_type"], CREATED);
}
