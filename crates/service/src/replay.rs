//! Selections of events that are sent again.

use chrono::Utc;
use wearlab_models::ReplaySelection;
use wearlab_store::{ReplayFilter, ReplayTarget};

/// Creates the filter of a selection.
pub(super) fn filter(selection: &ReplaySelection) -> ReplayFilter {
    ReplayFilter {
        team_id: selection.team_id,
        user_id: selection.user_id,
        event_type_prefix: selection.event_type.clone(),
        from: selection.from.map(|from| from.with_timezone(&Utc)),
        to: selection.to.map(|to| to.with_timezone(&Utc)),
        after: selection.after.unwrap_or_default(),
        up_to: selection.up_to,
        target: ReplayTarget {
            kind: selection.kind.clone(),
            webhook_id: selection.webhook_id.clone(),
        },
        parked: selection.parked,
    }
}

/// Returns all conditions, for the listing of cursors.
pub(super) fn described(filter: &ReplayFilter) -> impl serde::Serialize {
    let ReplayFilter {
        team_id,
        user_id,
        event_type_prefix,
        from,
        to,
        after,
        up_to,
        target,
        parked,
    } = filter.clone();
    let times = (from, to);
    let target = (target.kind, target.webhook_id);
    (team_id, user_id, event_type_prefix, times, after, up_to, target, parked)
}
