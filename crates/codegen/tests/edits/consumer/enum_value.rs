//! Matches the variant.

use wearlab_models::DeviceSourceType;

/// A value that was `Other` now has a name.
pub fn is_worn(kind: &DeviceSourceType) -> bool {
    match kind {
        DeviceSourceType::Watch | DeviceSourceType::Patch => true,
        DeviceSourceType::Other(_) => false,
        _ => false,
    }
}
