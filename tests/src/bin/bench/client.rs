//! Client, compared with hand-written requests.

mod by_hand;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use wearlab_client::Client;
use wearlab_models::{User, Uuid};

use self::by_hand::ByHand;
use crate::codec::page;
use crate::environment::{Environment, Scale};
use crate::measure::alternate;
use crate::population::KEY;
use crate::results::{Comparison, Found, Target};
use crate::service::Bare;

/// Number of concurrent reads.
const CONCURRENCY: u32 = 64;

/// Client that reads a user.
trait Read: Clone + Send + Sync + 'static {
    fn user(&self, id: Uuid) -> impl Future<Output = Result<User>> + Send;
}

impl Read for Client {
    async fn user(&self, id: Uuid) -> Result<User> {
        Ok(self.get_user(id).send().await?.into_inner())
    }
}

impl Read for Arc<ByHand> {
    async fn user(&self, id: Uuid) -> Result<User> {
        self.get_user(id).await
    }
}

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let scale = environment.scale.finely();
    let user: User = serde_json::from_value(page(1)["users"][0].take())?;
    let bare = Bare::start(&environment.scratch("client")?, &serde_json::to_vec(&user)?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ours = Client::builder().base_url(bare.url()).api_key(KEY).build()?;
    let theirs = Arc::new(ByHand::new(bare.url(), KEY)?);
    let result = |what: &str, at_once: u32| -> Result<Comparison> {
        Ok(Comparison {
            what: format!("client: {what}"),
            reference: "reqwest and serde by hand".into(),
            unit: "requests/s".into(),
            target: Target::AtLeast(0.97),
            rounds: alternate(
                scale.rounds,
                || per_second(scale, &runtime, &ours, user.user_id, at_once),
                || per_second(scale, &runtime, &theirs, user.user_id, at_once),
            )?,
        })
    };
    let results = vec![
        result("reads one after another", 1)?,
        result(&format!("{CONCURRENCY} reads at once"), CONCURRENCY)?,
    ];
    Ok(Found {
        results,
        ..Found::default()
    })
}

/// Measures the reads in a second, with `at_once` concurrent ones.
fn per_second(scale: Scale, runtime: &Runtime, reader: &impl Read, id: Uuid, at_once: u32) -> Result<f64> {
    let begun = Instant::now();
    let until = begun + scale.span;
    let all = async {
        let mut readers = JoinSet::new();
        for _ in 0..at_once {
            let reader = reader.clone();
            readers.spawn(async move {
                let mut count = 0_u32;
                while Instant::now() < until {
                    reader.user(id).await?;
                    count += 1;
                }
                Ok::<_, anyhow::Error>(count)
            });
        }
        let counts: Result<Vec<u32>> = readers.join_all().await.into_iter().collect();
        counts.context("a read failed")
    };
    let count: u32 = runtime.block_on(all)?.into_iter().sum();
    Ok(f64::from(count) / begun.elapsed().as_secs_f64())
}
