//! Pages and their checksums.

use twox_hash::XxHash3_64;

/// Number of reserved bytes at the end of a page, which hold its checksum.
pub(crate) const RESERVED: usize = 8;

/// Length of a database file's header in bytes.
pub(crate) const HEADER: usize = 100;

/// Returns the number of reserved bytes of each page, according to a file's header. None if it is not a header.
pub(crate) fn reserved_bytes(header: &[u8]) -> Option<u8> {
    match header.starts_with(b"SQLite format 3\0") {
        true => header.get(20).copied(),
        false => None,
    }
}

/// Returns whether a length is a valid page size.
pub(crate) fn is_size(length: usize) -> bool {
    length >= 512 && length.is_power_of_two()
}

/// Returns the number of a page from its length and its offset in the database file, from 1. None if they are not of a
/// page.
pub(crate) fn number(length: usize, offset: u64) -> Option<u64> {
    let size = length as u64;
    (is_size(length) && offset.is_multiple_of(size)).then(|| offset / size + 1)
}

/// Returns whether a page matches its checksum.
pub(crate) fn is_intact(page: &[u8], number: u64) -> bool {
    page.ends_with(&checksum(page, number))
}

/// Writes the checksum of a page into its reserved bytes.
pub(crate) fn seal(page: &mut [u8], number: u64) {
    let checksum = checksum(page, number);
    let start = page.len() - RESERVED;
    page[start..].copy_from_slice(&checksum);
}

/// Hashes a page up to its reserved bytes. The seed is its number.
fn checksum(page: &[u8], number: u64) -> [u8; RESERVED] {
    XxHash3_64::oneshot_with_seed(number, &page[..page.len() - RESERVED]).to_le_bytes()
}
