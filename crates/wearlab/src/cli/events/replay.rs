//! `wearlab events replay`: events that are sent again.

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use wearlab_models::Uuid;
use wearlab_store::{ReplayFilter, ReplayPosition, ReplayRead, ReplayTarget, Store};

use crate::cli::output::print_line;
use crate::cli::store_args::{StoreArgs, failed};
use crate::clock;

/// How many deliveries are repeated in one transaction: other writers wait meanwhile.
const TOGETHER: usize = 1_000;

#[derive(clap::Args)]
pub(in crate::cli) struct Replay {
    /// The id of the event.
    #[arg(required_unless_present = "selection", conflicts_with = "selection")]
    event_id: Option<String>,
    #[command(flatten)]
    selection: Selection,
    /// Only to destinations of this kind: webhook, rabbitmq and so on.
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only to this webhook.
    #[arg(long, value_name = "ID")]
    webhook: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

/// Which events.
#[derive(clap::Args)]
#[group(id = "selection", multiple = true)]
struct Selection {
    /// Only parked events, each at the destination where it is parked.
    #[arg(long)]
    parked: bool,
    /// Only events of this team.
    #[arg(long, value_name = "UUID")]
    team: Option<Uuid>,
    /// Only events about this user.
    #[arg(long, value_name = "UUID")]
    user: Option<Uuid>,
    /// Only events whose type begins with this, such as daily.data.sleep.
    #[arg(long = "type", value_name = "PREFIX")]
    event_type: Option<String>,
    /// Only events written at this time or later, such as 2026-05-02T00:00:00Z.
    #[arg(long, value_name = "TIME")]
    from: Option<DateTime<Utc>>,
    /// Only events written before this time.
    #[arg(long, value_name = "TIME")]
    to: Option<DateTime<Utc>>,
    /// Only events after this number of the log.
    #[arg(long, value_name = "NUMBER")]
    after: Option<i64>,
    /// Only events up to this number of the log.
    #[arg(long, value_name = "NUMBER")]
    up_to: Option<i64>,
}

pub(super) async fn run(options: Replay) -> Result<()> {
    let (store, now) = (options.store.open().await?, clock::now());
    let target = ReplayTarget {
        kind: options.kind,
        webhook_id: options.webhook,
    };
    let Some(event_id) = options.event_id else {
        let replayed = replay_all(&store, &options.selection.filter(target), now).await?;
        return print_line(format_args!("{replayed} events are sent again"));
    };
    let replayed = store.write(|write| write.replay(&event_id, &target, now)).await;
    match replayed.map_err(failed)? {
        Some(0) => bail!("no destination was sent this event"),
        Some(_) => Ok(()),
        None => bail!("there is no event {event_id:?}: `wearlab events list` shows their ids"),
    }
}

impl Selection {
    fn filter(self, target: ReplayTarget) -> ReplayFilter {
        ReplayFilter {
            team_id: self.team,
            user_id: self.user,
            event_type_prefix: self.event_type,
            from: self.from,
            to: self.to,
            after: self.after.unwrap_or_default(),
            up_to: self.up_to,
            target,
            parked: self.parked,
        }
    }
}

/// Has all events of a selection sent again, a part at a time.
async fn replay_all(store: &Store, filter: &ReplayFilter, now: DateTime<Utc>) -> Result<usize> {
    let mut filter = filter.clone();
    // Not what is written meanwhile.
    let last = store.last_event().await.map_err(failed)?;
    filter.up_to = Some(filter.up_to.unwrap_or(i64::MAX).min(last));
    let (mut position, mut replayed) = (ReplayPosition::default(), 0);
    loop {
        let read = store.replay_part(&filter, position, TOGETHER).await.map_err(failed)?;
        let ReplayRead::Part(part) = read else {
            return Ok(replayed);
        };
        replayed += store
            .write(|write| write.replay_all(&part, now))
            .await
            .map_err(failed)?;
        match part.next {
            Some(next) => position = next,
            None => return Ok(replayed),
        }
    }
}
