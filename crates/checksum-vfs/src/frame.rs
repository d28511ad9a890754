//! Frames of a write-ahead log, with SQLite's cumulative checksums over the frame and all frames before it.

use crate::page;

/// Length of the log's header in bytes. It ends with a checksum.
const LOG_HEADER: u64 = 32;

/// Length of a frame's header in bytes. It ends with a checksum.
pub(crate) const HEADER: usize = 24;

/// Length of a checksum in bytes.
pub(crate) const CHECKSUM: usize = 8;

/// Number of leading bytes of a frame's header that its checksum covers.
const CHECKED: usize = 8;

/// Returns the offset of a frame's header, given the offset and the length of its page in the log. None if they are not
/// of a page.
pub(crate) fn header_offset(length: usize, offset: u64) -> Option<u64> {
    let start = offset.checked_sub(HEADER as u64)?;
    let distance = start.checked_sub(LOG_HEADER)?;
    let is_frame = page::is_size(length) && distance.is_multiple_of((HEADER + length) as u64);
    is_frame.then_some(start)
}

/// Returns the offset of the checksum before a frame, given the offset of its header and the length of its page.
pub(crate) fn previous_checksum(header_offset: u64, length: usize) -> u64 {
    match header_offset {
        LOG_HEADER => LOG_HEADER - CHECKSUM as u64,
        _ => header_offset - (length + CHECKSUM) as u64,
    }
}

/// Returns the offset of the checksum in a frame's header.
pub(crate) fn own_checksum(header_offset: u64) -> u64 {
    header_offset + (HEADER - CHECKSUM) as u64
}

/// Returns the page number of a frame.
pub(crate) fn page_number(header: &[u8; HEADER]) -> u64 {
    u32::from_be_bytes([header[0], header[1], header[2], header[3]]).into()
}

/// Calculates the checksum of a frame, as its header stores it. The last bit of the log's first word defines the byte
/// order of the added words.
pub(crate) fn checksum(log: [u8; 4], previous: [u8; CHECKSUM], header: &[u8; HEADER], page: &[u8]) -> [u8; CHECKSUM] {
    let word = match log[3] & 1 {
        0 => u32::from_le_bytes,
        _ => u32::from_be_bytes,
    };
    let [a, b, c, d, e, f, g, h] = previous;
    let mut sums = [u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])];
    for bytes in [&header[..CHECKED], page] {
        let (pairs, _) = bytes.as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in pairs {
            sums[0] = sums[0].wrapping_add(word([*a, *b, *c, *d])).wrapping_add(sums[1]);
            sums[1] = sums[1].wrapping_add(word([*e, *f, *g, *h])).wrapping_add(sums[0]);
        }
    }
    let mut checksum = [0; CHECKSUM];
    checksum[..4].copy_from_slice(&sums[0].to_be_bytes());
    checksum[4..].copy_from_slice(&sums[1].to_be_bytes());
    checksum
}
