//! Loss of a lease to another process, on the PostgreSQL server that `WEARLAB_TEST_DATABASE` names.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use tokio::time::{sleep, timeout};
use wearlab_models::Uuid;
use wearlab_store::{Advance, DestinationId, Lease, PostgresSettings, Store, StoreError};

use super::fake::{Arrived, Fake};
use super::world::{World, impatient};
use crate::dispatch::lease::LeaseGuard;
use crate::dispatch::progress::ProgressWriter;
use crate::dispatch::worker::Worker;
use crate::{Check, Delivery, Destination, Message, Outcome};

const FIRST: Uuid = Uuid::from_u128(1);
const SECOND: Uuid = Uuid::from_u128(2);
/// Validity of the first lease, and time without any delivery.
const SHORT: Duration = Duration::from_millis(100);
const TIMEOUT: Duration = Duration::from_secs(10);

/// A store in a schema of its own.
async fn store() -> Store {
    let url = std::env::var("WEARLAB_TEST_DATABASE").expect("WEARLAB_TEST_DATABASE");
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
        .await
        .expect("a server");
    tokio::spawn(connection);
    let schema = format!("delivery_{}", Uuid::now_v7().simple());
    let made = client.batch_execute(&format!("CREATE SCHEMA {schema}")).await;
    made.expect("a schema");
    let mark = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{mark}options=-c%20search_path%3D{schema}");
    let settings = PostgresSettings::new(url);
    Store::connect(&settings, &[]).await.expect("a store")
}

/// The lease of the only destination, once no other process has it.
async fn lease(store: &Store, holder: Uuid, id: DestinationId, span: Duration) -> Lease {
    let taken = async {
        loop {
            let share = store.share(holder, &[id], span).await.expect("shares");
            match share.leases.first() {
                Some(lease) => return *lease,
                None => sleep(SHORT / 10).await,
            }
        }
    };
    timeout(TIMEOUT, taken).await.expect("nobody has it")
}

/// A worker of a process that never notices the end of its lease, as though it was paused right after its check.
fn worker(world: &World, lease: Lease, destination: impl Destination + 'static) -> Worker {
    let mut worker = world.worker(destination, impatient());
    worker.lease = Arc::new(LeaseGuard::new(lease, None));
    worker
}

/// A destination that accepts everything, while another process takes over.
struct Overtaken {
    store: Store,
    id: DestinationId,
}

impl Destination for Overtaken {
    fn ordered(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        10
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(async {
            lease(&self.store, SECOND, self.id, TIMEOUT).await;
            messages.iter().map(|_| Outcome::Delivered).collect()
        })
    }

    fn check<'a>(&'a self, _: &'a Message) -> Check<'a> {
        Box::pin(async { Vec::new() })
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server"]
async fn what_was_delivered_under_a_lease_that_has_moved_is_not_written_down() {
    let world = World::on(store().await, 1).await;
    for value in 0..3 {
        world.walk(0, value).await;
    }
    let first = lease(&world.store, FIRST, world.id, SHORT).await;
    let overtaken = Overtaken {
        store: world.store.clone(),
        id: world.id,
    };
    let first = worker(&world, first, overtaken);
    timeout(TIMEOUT, first.run()).await.expect("it ends by itself");
    assert_eq!(world.backlog().await.waiting, 3, "the second one delivers all of it");

    let second = lease(&world.store, SECOND, world.id, TIMEOUT).await;
    let arrived = Arrived::default();
    let fake = Fake {
        arrived: arrived.clone(),
        batch: 10,
    };
    let running = tokio::spawn(worker(&world, second, fake).run());
    let delivered = async {
        while world.backlog().await.waiting > 0 {
            sleep(SHORT / 10).await;
        }
    };
    timeout(TIMEOUT, delivered).await.expect("it is delivered");
    running.abort();
    let log: Vec<_> = world.log().await.into_iter().map(|event| event.event_id).collect();
    assert_eq!(arrived.lock().arrived, log);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server"]
async fn of_what_is_written_together_each_gets_its_own_result() {
    let world = World::on(store().await, 1).await;
    let first = lease(&world.store, FIRST, world.id, SHORT).await;
    let second = lease(&world.store, SECOND, world.id, TIMEOUT).await;
    let progress = ProgressWriter::default();
    let save = |lease| progress.save(&world.store, lease, Advance::default(), Utc::now());
    // While the first one is written, the others wait for it together.
    let (alone, superseded, good) = tokio::join!(save(second), save(first), save(second));
    alone.expect("the lease is good");
    assert!(matches!(superseded, Err(StoreError::Superseded)), "{superseded:?}");
    good.expect("the lease is good");
}
