//! Pulls at the same time: a slow provider delays no other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use futures_util::FutureExt;
use tokio::sync::Notify;
use uuid::Uuid;
use wearlab_connect::{Account, Collection, Profile, Provider, Reading, Reply, Session, Span};
use wearlab_models::ProviderSettings;

use crate::provider::settings;
use crate::world::{USER, World, advance, now};

const SLUG: &str = "anklet";
const PLACES: usize = 3;

static PROFILE: Profile = Profile {
    id: 901,
    slug: SLUG,
    name: "Anklet",
    description: "Bands of the tests, which do not respond.",
    source_type: "watch",
    collections: &[],
    quotas: &[],
    max_concurrent: PLACES,
    history_days: 1,
};

/// Provider that responds when it is told to. It counts the requests.
#[derive(Default)]
struct Anklet {
    requests: AtomicUsize,
    respond: Notify,
}

impl Provider for Anklet {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings(SLUG, &[])
    }

    fn account<'a>(&'a self, _: &'a Session) -> Reply<'a, Account> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        async {
            self.respond.notified().await;
            Ok(Account { provider_user_id: None })
        }
        .boxed()
    }

    fn pull<'a>(&'a self, _: &'a Session, _: &'static Collection, _: Span) -> Reply<'a, Vec<Reading>> {
        std::future::pending().boxed()
    }
}

#[tokio::test]
async fn a_provider_that_hangs_keeps_no_place_of_another() {
    let world = World::new().await;
    let anklet = Arc::new(Anklet::default());
    let puller = world.puller_with(anklet.clone()).await;
    world.settle(&puller).await;
    for number in 100..140 {
        let user = Uuid::from_u128(number);
        world.add_user(user).await;
        world.link_at(user, SLUG).await;
    }
    let pulling = Arc::new(puller).run(std::future::pending());
    let checks = async {
        while anklet.requests.load(Ordering::Relaxed) < PLACES {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        advance(TimeDelta::hours(13));
        world.ringlet.set(now().date_naive(), 77, 61);
        while world.steps().await != world.ringlet.steps() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let checked = tokio::time::timeout(Duration::from_secs(30), async {
        tokio::select! {
            () = pulling => {}
            () = checks => {}
        }
    });
    checked.await.expect("the other provider is pulled");
    assert_eq!(anklet.requests.load(Ordering::Relaxed), PLACES, "no more at a time");
}

#[tokio::test]
async fn a_pull_that_waits_to_write_blocks_no_other() {
    let world = World::new().await;
    let anklet = Arc::new(Anklet::default());
    let puller = world.puller_with(anklet.clone()).await;
    world.settle(&puller).await;
    world.link_at(USER, SLUG).await;
    let pulling = tokio::spawn(Arc::new(puller).run(std::future::pending()));
    while anklet.requests.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The account is written once the store is free, and the other provider is due meanwhile.
    let release = world.lock();
    advance(TimeDelta::hours(13));
    world.ringlet.set(now().date_naive(), 77, 61);
    anklet.respond.notify_one();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    drop(release);
    let pulled = tokio::time::timeout(Duration::from_secs(30), async {
        while world.steps().await != world.ringlet.steps() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    pulled.await.expect("the other provider is pulled");
    pulling.abort();
}
