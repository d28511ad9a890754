//! Matches the variant.

use wearlab_models::{Event, ProviderConnectionRemovedEvent, Uuid};

/// Who has removed which provider.
pub fn removed(event: &Event) -> Option<(Uuid, &str)> {
    match event {
        Event::ProviderConnectionRemoved(ProviderConnectionRemovedEvent { user_id, provider, .. }) => {
            Some((*user_id, &provider.slug))
        }
        _ => None,
    }
}
