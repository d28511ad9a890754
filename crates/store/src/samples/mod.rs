//! Chunks of samples: many samples of a series as few bytes.
//!
//! A chunk is a version byte, a checksum of all else, and the samples as lines of JSON.

use std::fmt;

use twox_hash::XxHash3_128;
use wearlab_ingest::{ExactObject, Sample};

const VERSION: u8 = 0;

/// The bytes of the checksum.
const CHECKSUM: usize = 8;

/// A chunk that is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("read a chunk of samples: it is damaged")
    }
}

impl std::error::Error for Damaged {}

/// The samples as a chunk, in their order.
pub fn encode(samples: &[Sample]) -> Vec<u8> {
    let mut body = vec![VERSION];
    for sample in samples {
        sample.write(&mut body);
        body.push(b'\n');
    }
    let checksum = checksum(&body);
    body.extend(checksum);
    body
}

/// The samples of a chunk, in their order.
///
/// # Errors
///
/// Where it is not a chunk that [`encode`] made.
pub fn decode(chunk: &[u8]) -> Result<Vec<Sample>, Damaged> {
    let (body, stored) = chunk.split_last_chunk::<CHECKSUM>().ok_or(Damaged)?;
    if *stored != checksum(body) {
        return Err(Damaged);
    }
    let lines = body.strip_prefix(&[VERSION]).ok_or(Damaged)?;
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let object: ExactObject = serde_json::from_slice(line).map_err(|_| Damaged)?;
            Sample::read(&object).map_err(|_| Damaged)
        })
        .collect()
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let [.., a, b, c, d, e, f, g, h] = XxHash3_128::oneshot(body).to_be_bytes();
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests;
