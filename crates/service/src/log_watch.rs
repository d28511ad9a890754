//! Watches the log for all requests that wait for an event: one of them reads it, and wakes those with new events.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::Instant;
use wearlab_store::{OrganisationId, Store, StoreError};

/// Interval between reads of the log while a request waits.
const LOOK: Duration = Duration::from_millis(200);

/// Age at which an earlier read is too old to continue from.
const STALE: Duration = Duration::from_secs(5);

/// Maximum events whose organisations are looked up. After more, all requests are woken.
const MANY: i64 = 10_000;

/// Shared watch of the log, which runs while requests wait.
#[derive(Default)]
pub(super) struct LogWatch {
    news: watch::Sender<News>,
    /// Last read of the log, and the lock of the request that reads.
    look: Mutex<Option<Look>>,
}

/// Positions of the newest events.
#[derive(Default)]
struct News {
    /// Last event of any organisation.
    of_all: i64,
    /// Last event of each organisation, by its id.
    by_organisation: HashMap<String, i64>,
}

impl News {
    fn has(&self, organisation: &OrganisationId, after: i64) -> bool {
        let own = self.by_organisation.get(organisation.as_str());
        self.of_all > after || own.is_some_and(|last| *last > after)
    }
}

/// Last read of the log.
struct Look {
    at: Instant,
    last_event: i64,
}

impl LogWatch {
    /// Waits until the organisation may have an event after a position.
    pub(super) async fn wait(
        &self,
        store: &Store,
        organisation: &OrganisationId,
        after: i64,
    ) -> Result<(), StoreError> {
        let mut news = self.news.subscribe();
        while !news.borrow_and_update().has(organisation, after) {
            tokio::select! {
                _ = news.changed() => {}
                mut look = self.look.lock() => {
                    // A request that ends leaves the reading to another one.
                    while !news.borrow_and_update().has(organisation, after) {
                        if let Some(look) = &*look {
                            tokio::time::sleep_until(look.at + LOOK).await;
                        }
                        self.look(store, &mut look).await?;
                    }
                }
            }
        }
        Ok(())
    }

    async fn look(&self, store: &Store, look: &mut Option<Look>) -> Result<(), StoreError> {
        let at = Instant::now();
        let before = look.as_ref().filter(|look| at - look.at < STALE);
        let before = before.map(|look| look.last_event);
        let last_event = store.last_event().await?.max(before.unwrap_or(0));
        match before {
            Some(before) if last_event == before => {}
            Some(before) if last_event - before <= MANY => {
                let organisations = store.organisations_with_events(before).await?;
                self.news.send_modify(|news| {
                    for (organisation, last) in organisations {
                        let known = news.by_organisation.entry(organisation).or_default();
                        *known = last.max(*known);
                    }
                });
            }
            _ => self.news.send_modify(|news| news.of_all = last_event),
        }
        *look = Some(Look { at, last_event });
        Ok(())
    }
}
