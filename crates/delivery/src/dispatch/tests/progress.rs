//! Progress that is saved together.

use chrono::{DateTime, Utc};
use wearlab_models::{Secret, Uuid};
use wearlab_store::{Advance, DestinationId, Lease, Progress, SigningSecret, StoreError, WebhookEndpoint};

use super::world::World;
use crate::dispatch::progress::ProgressWriter;

/// A destination that is gone.
async fn gone(world: &World) -> DestinationId {
    let endpoint = WebhookEndpoint {
        webhook_id: "wh_1".to_owned(),
        team_id: Uuid::from_u128(1),
        url: "https://example.com/".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: vec![SigningSecret {
            secret: Secret::from("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
            until: None,
        }],
        created_on: DateTime::UNIX_EPOCH,
        disabled: None,
    };
    let gone = world.store.write(|write| {
        write.put_webhook(&endpoint)?;
        let team = write.team(endpoint.team_id)?.expect("the team");
        let id = write.destination(team, "webhook", Some(&endpoint.webhook_id))?;
        assert!(write.delete_webhook(&endpoint.webhook_id)?);
        Ok(id)
    });
    gone.await.expect("writes")
}

#[tokio::test]
async fn an_update_that_fails_takes_no_other_with_it() {
    let world = World::new(1).await;
    world.walk(0, 1).await;
    let number = world.log().await[0].number;
    let (gone, writer) = (gone(&world).await, ProgressWriter::default());
    let save = |destination, results| {
        let lease = Lease {
            destination,
            holder: Uuid::nil(),
            term: 0,
        };
        let advance = Advance {
            cursor: number,
            results,
            ..Advance::default()
        };
        writer.save(&world.store, lease, advance, Utc::now())
    };
    let waiting = || {
        let waiting = Progress::Waiting {
            attempts: 1,
            due: Utc::now(),
            reason: "responded 500".to_owned(),
        };
        vec![(number, waiting)]
    };
    // While the first is written, the others come together.
    let (first, second, third) = tokio::join!(
        save(world.id, Vec::new()),
        save(gone, waiting()),
        save(world.id, waiting())
    );
    assert!(first.is_ok(), "{first:?}");
    assert!(
        matches!(&second, Err(error) if !matches!(error, StoreError::Superseded)),
        "{second:?}"
    );
    assert!(third.is_ok(), "{third:?}");
    assert_eq!(world.backlog().await.waiting, 1);
}
