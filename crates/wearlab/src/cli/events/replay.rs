//! `wearlab events replay`: sends events again.

use anyhow::{Result, bail};
use wearlab_models::{DateTime, ReplaySelection, Uuid};

use crate::cli::output::print_line;
use crate::cli::session::{ApiArgs, OrgArg, Session, is_absent};

#[derive(clap::Args)]
pub(in crate::cli) struct Replay {
    /// Id of the event.
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
    org: OrgArg,
    #[command(flatten)]
    api: ApiArgs,
}

/// Filters of events.
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
    from: Option<DateTime>,
    /// Only events written before this time.
    #[arg(long, value_name = "TIME")]
    to: Option<DateTime>,
    /// Only events after this number of the log.
    #[arg(long, value_name = "NUMBER")]
    after: Option<i64>,
    /// Only events up to this number of the log.
    #[arg(long, value_name = "NUMBER")]
    up_to: Option<i64>,
}

pub(super) async fn run(options: Replay) -> Result<()> {
    let session = options.api.session().await?;
    let Some(event_id) = &options.event_id else {
        let replayed = replay_all(&session, &options).await?;
        return print_line(format_args!("{replayed} deliveries are repeated"));
    };
    for owner in session.organisations(options.org.id()).await? {
        let mut call = owner.client.replay_event(&owner.id, event_id);
        if let Some(kind) = &options.kind {
            call = call.kind(kind);
        }
        if let Some(webhook) = &options.webhook {
            call = call.webhook_id(webhook);
        }
        match call.send().await {
            Ok(replayed) if replayed.destinations == 0 => bail!("no destination was sent this event"),
            Ok(_) => return Ok(()),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(session.failed("replay the event", &error)),
        }
    }
    bail!("there is no event {event_id:?}: `wearlab events list` shows their ids")
}

/// Replays all events of a selection in parts. Returns the number of repeated deliveries.
async fn replay_all(session: &Session, options: &Replay) -> Result<i64> {
    let mut replayed = 0;
    let mut found = false;
    for owner in session
        .organisations_with(options.selection.team, options.org.id())
        .await?
    {
        let failed = |error| session.failed("replay the events", &error);
        // Events that are written meanwhile are excluded.
        let newest = owner
            .client
            .list_events(&owner.id)
            .before(i64::MAX)
            .limit(1)
            .send()
            .await;
        let end = newest.map_err(failed)?.end;
        let up_to = options.selection.up_to.unwrap_or(i64::MAX).min(end);
        let mut cursor = None;
        loop {
            let selection = options.part(up_to, cursor);
            let part = match owner.client.replay_events(&owner.id, selection).send().await {
                Ok(part) => part.into_inner(),
                // The user belongs to another organisation of the store.
                Err(error) if is_absent(&error) && options.selection.user.is_some() => break,
                Err(error) => return Err(failed(error)),
            };
            found = true;
            replayed += part.deliveries;
            cursor = part.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
    }
    match found || options.selection.user.is_none() {
        true => Ok(replayed),
        false => bail!("there is no such user: `wearlab user list` shows their ids"),
    }
}

impl Replay {
    fn part(&self, up_to: i64, next_cursor: Option<String>) -> ReplaySelection {
        let selection = &self.selection;
        ReplaySelection::builder()
            .parked(selection.parked)
            .maybe_team_id(selection.team)
            .maybe_user_id(selection.user)
            .maybe_event_type(selection.event_type.clone())
            .maybe_from(selection.from)
            .maybe_to(selection.to)
            .maybe_after(selection.after)
            .up_to(up_to)
            .maybe_kind(self.kind.clone())
            .maybe_webhook_id(self.webhook.clone())
            .maybe_next_cursor(next_cursor)
            .build()
    }
}
