//! Matches the variant.

use wearlab_models::DeviceSourceType;

/// What was in `Other` before has a name.
pub fn is_worn(kind: &DeviceSourceType) -> bool {
    match kind {
        DeviceSourceType::Watch | DeviceSourceType::Patch => true,
        DeviceSourceType::Other(_) => false,
        _ => false,
    }
}
