//! Embedded stores of versions up to 19, whose pages have no checksums.

mod digest;
mod row_checksums;

use wearlab_database::Earlier;

pub use self::row_checksums::add_functions as add_row_checksum_functions;

/// Checks and conversions of such stores.
pub(crate) const EARLIER: Earlier = Earlier {
    page_checksums: 20,
    add_functions: row_checksums::add_functions,
    find_damage: row_checksums::find_damage,
    is_complete: digest::fits,
    prepare: digest::remove,
    finish: row_checksums::remove,
};
