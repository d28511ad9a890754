//! Matches the variant.

use wearlab_models::{Event, ProviderConnectionRemovedEvent, Uuid};

/// The user and the removed provider.
pub fn removed(event: &Event) -> Option<(Uuid, &str)> {
    match event {
        Event::ProviderConnectionRemoved(ProviderConnectionRemovedEvent { user_id, provider, .. }) => {
            Some((*user_id, &provider.slug))
        }
        _ => None,
    }
}
