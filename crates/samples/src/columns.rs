//! Encoding of columns of numbers.

use pco::ChunkConfig;
use pco::standalone::{simple_compress, simple_decompress_into};

use super::error::DamagedChunk;

/// Longest column that is not compressed with `pco`: its differences are about as short.
const MAX_UNPACKED: usize = 24;
/// Compression level of `pco`. At its default, 8, a day of samples is 1 % shorter, and takes up to seven times as long.
const LEVEL: usize = 4;

const ONE: u8 = 0;
const DIFFERENCES: u8 = 1;
const PACKED: u8 = 2;
const LINE: u8 = 3;

/// Encoder of a chunk.
#[derive(Default)]
pub(super) struct Encoder(Vec<u8>);

impl Encoder {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Writes a number that is not negative.
    pub(super) fn count(&mut self, count: usize) {
        self.unsigned(count as u64);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn column(&mut self, numbers: &[i64]) {
        let Some(&first) = numbers.first() else {
            return;
        };
        let step = numbers.get(1).map_or(0, |second| second.wrapping_sub(first));
        if numbers.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
            self.0.push(if step == 0 { ONE } else { LINE });
            self.signed(first);
            if step != 0 {
                self.signed(step);
            }
            return;
        }
        let differences = differences(numbers);
        if numbers.len() > MAX_UNPACKED
            && let Ok(packed) = simple_compress(numbers, &ChunkConfig::default().with_compression_level(LEVEL))
            && packed.len() < differences.len()
        {
            self.0.push(PACKED);
            return self.bytes(&packed);
        }
        self.0.push(DIFFERENCES);
        self.0.extend_from_slice(&differences);
    }

    fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    fn signed(&mut self, number: i64) {
        self.unsigned(((number << 1) ^ (number >> 63)).cast_unsigned());
    }
}

/// Encodes the differences of adjacent numbers. The first number is a difference from 0.
fn differences(numbers: &[i64]) -> Vec<u8> {
    let mut out = Encoder::default();
    let mut before = 0_i64;
    for number in numbers {
        out.signed(number.wrapping_sub(before));
        before = *number;
    }
    out.0
}

/// Decoder of a chunk.
pub(super) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Fails if bytes are left over.
    pub(super) fn finish(&self) -> Result<(), DamagedChunk> {
        match self.0 {
            [] => Ok(()),
            _ => Err(DamagedChunk),
        }
    }

    /// Reads a number from 0 to `most`.
    pub(super) fn count(&mut self, most: usize) -> Result<usize, DamagedChunk> {
        let count = usize::try_from(self.unsigned()?).map_err(|_| DamagedChunk)?;
        (count <= most).then_some(count).ok_or(DamagedChunk)
    }

    fn bytes(&mut self) -> Result<&'a [u8], DamagedChunk> {
        let length = self.count(self.0.len())?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(DamagedChunk)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, DamagedChunk> {
        std::str::from_utf8(self.bytes()?).map_err(|_| DamagedChunk)
    }

    pub(super) fn column(&mut self, count: usize) -> Result<Vec<i64>, DamagedChunk> {
        if count == 0 {
            return Ok(Vec::new());
        }
        match self.byte()? {
            ONE => Ok(vec![self.signed()?; count]),
            LINE => {
                let (first, step) = (self.signed()?, self.signed()?);
                let number = |before: &i64| Some(before.wrapping_add(step));
                Ok(std::iter::successors(Some(first), number).take(count).collect())
            }
            DIFFERENCES => {
                // Each number takes at least a byte.
                if count > self.0.len() {
                    return Err(DamagedChunk);
                }
                let mut before = 0_i64;
                let number = |_| {
                    before = before.wrapping_add(self.signed()?);
                    Ok(before)
                };
                (0..count).map(number).collect()
            }
            PACKED => {
                let packed = self.bytes()?;
                let mut numbers = vec![0; count];
                let progress = simple_decompress_into(packed, &mut numbers).map_err(|_| DamagedChunk)?;
                let whole = progress.finished && progress.n_processed == count;
                whole.then_some(numbers).ok_or(DamagedChunk)
            }
            _ => Err(DamagedChunk),
        }
    }

    fn byte(&mut self) -> Result<u8, DamagedChunk> {
        let (byte, rest) = self.0.split_first().ok_or(DamagedChunk)?;
        self.0 = rest;
        Ok(*byte)
    }

    fn unsigned(&mut self) -> Result<u64, DamagedChunk> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(DamagedChunk);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(DamagedChunk)
    }

    fn signed(&mut self) -> Result<i64, DamagedChunk> {
        let number = self.unsigned()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}
