//! Pages of a database file, and their checksums.

use twox_hash::XxHash3_64;

/// Reserved bytes at the end of a page, which hold its checksum.
pub(crate) const RESERVED: usize = 8;

/// Bytes of a file's header.
pub(crate) const HEADER: usize = 100;

/// Returns the number of reserved bytes of each page that a file's header gives, or nothing if it is no header.
pub(crate) fn reserved_bytes(header: &[u8]) -> Option<u8> {
    match header.starts_with(b"SQLite format 3\0") {
        true => header.get(20).copied(),
        false => None,
    }
}

/// Returns whether a part of a file has the length and the place of a page.
pub(crate) fn is_page(length: usize, offset: u64) -> bool {
    let size = length as u64;
    length >= 512 && length.is_power_of_two() && offset.is_multiple_of(size)
}

/// Returns whether a page at an offset of a file is what was written.
pub(crate) fn is_intact(page: &[u8], offset: u64) -> bool {
    page.ends_with(&checksum(page, offset))
}

/// Puts the checksum of a page into its reserved bytes.
pub(crate) fn seal(page: &mut [u8], offset: u64) {
    let checksum = checksum(page, offset);
    let start = page.len() - RESERVED;
    page[start..].copy_from_slice(&checksum);
}

/// The hash of all that precedes the reserved bytes of a page, whose seed is its number.
fn checksum(page: &[u8], offset: u64) -> [u8; RESERVED] {
    let number = offset / page.len() as u64 + 1;
    XxHash3_64::oneshot_with_seed(number, &page[..page.len() - RESERVED]).to_le_bytes()
}
