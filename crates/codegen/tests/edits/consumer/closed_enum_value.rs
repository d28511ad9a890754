//! Matches the variant.

use wearlab_models::Region;

/// Every region has a name.
pub fn is_new(region: Region) -> bool {
    matches!(region, Region::Ap)
}
