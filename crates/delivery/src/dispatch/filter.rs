//! Filter of events by destination.

use super::routes::Route;

/// Returns whether a destination gets events of a type: the filters of the team's pipeline and of the
/// endpoint pass it.
pub(super) fn wants(route: &Route, event_type: &str) -> bool {
    let by_pipeline = route.pipeline().map(|pipeline| &pipeline.event_type_prefixes);
    let by_endpoint = route.endpoint.as_ref().map(|endpoint| &endpoint.event_type_prefixes);
    [by_pipeline, by_endpoint]
        .into_iter()
        .flatten()
        .all(|prefixes| passes(prefixes, event_type))
}

/// Returns whether a type begins with one of the prefixes. Without any, all do.
fn passes(prefixes: &[String], event_type: &str) -> bool {
    prefixes.is_empty() || prefixes.iter().any(|prefix| event_type.starts_with(prefix.as_str()))
}
