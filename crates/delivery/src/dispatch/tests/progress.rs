//! Progress that is saved in one transaction.

use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use wearlab_models::{Secret, Uuid};
use wearlab_store::{Advance, DestinationId, Lease, Progress, SigningSecret, StoreError, Transaction, WebhookEndpoint};

use super::fake::{Arrived, Fake};
use super::world::{World, impatient};
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

/// Blocks all other writers until it is dropped.
struct Writing {
    _end: mpsc::Sender<()>,
}

impl Writing {
    async fn begin(world: &World) -> Self {
        let (store, runtime) = (world.store.clone(), tokio::runtime::Handle::current());
        let ((_end, ended), (begun, has_begun)) = (mpsc::channel(), oneshot::channel());
        let write = move |_: &mut Transaction<'_>| {
            let _ = begun.send(());
            let _ = ended.recv();
            Ok(())
        };
        tokio::task::spawn_blocking(move || runtime.block_on(store.write(write)));
        has_begun.await.expect("it writes");
        Self { _end }
    }
}

/// Waits until a condition holds.
async fn until(holds: impl AsyncFn() -> bool) {
    for _ in 0..2000 {
        if holds().await {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("not within 20 seconds");
}

#[tokio::test]
async fn a_worker_begins_where_the_one_before_it_ended() {
    let world = World::new(1).await;
    world.walk(0, 1).await;
    let arrived = Arrived::default();
    let fake = || Fake {
        arrived: arrived.clone(),
        batch: 7,
    };
    let writing = Writing::begin(&world).await;
    let first = tokio::spawn(world.worker(fake(), impatient()).run());
    until(async || arrived.count() == 1).await;
    // It saves that meanwhile.
    sleep(Duration::from_millis(50)).await;
    first.abort();
    let _ = first.await;
    let second = world.worker(fake(), impatient());
    let wake = Arc::clone(&second.wake);
    let second = tokio::spawn(second.run());
    sleep(Duration::from_millis(200)).await;
    drop(writing);
    until(async || world.backlog().await.waiting == 0).await;
    world.walk(0, 2).await;
    wake.notify_one();
    until(async || world.backlog().await.waiting == 0).await;
    second.abort();
    let _ = second.await;
    let expected: Vec<_> = (world.log().await.into_iter()).map(|event| event.event_id).collect();
    assert_eq!(arrived.lock().arrived, expected, "each once");
}

#[tokio::test]
async fn what_a_stopped_worker_left_waiting_is_not_written() {
    let world = World::new(1).await;
    world.walk(0, 1).await;
    let number = world.log().await[0].number;
    let writer = ProgressWriter::default();
    let lease = Lease {
        destination: world.id,
        holder: Uuid::nil(),
        term: 0,
    };
    let save = |cursor| {
        let advance = Advance {
            cursor,
            ..Advance::default()
        };
        writer.save(&world.store, lease, advance, Utc::now())
    };
    let writing = Writing::begin(&world).await;
    let mut first = pin!(save(0));
    let mut stopped = Box::pin(save(number));
    // The first one is writing, the other one waits.
    assert!(timeout(Duration::from_millis(50), &mut first).await.is_err());
    assert!(timeout(Duration::from_millis(50), &mut stopped).await.is_err());
    drop(stopped);
    drop(writing);
    first.await.expect("saves");
    save(0).await.expect("saves");
    assert_eq!(world.backlog().await.waiting, 1);
}
