//! Codec of samples in compressed chunks.
//!
//! `FORMAT.md` specifies the format.

mod columns;
mod error;
mod limit;
mod numbers;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use twox_hash::XxHash3_64;
use wearlab_ingest::{Sample, SampleValue};

use self::columns::{Decoder, Encoder};
pub use self::error::DamagedChunk;
pub use self::limit::{Budget, PageLimit};
use self::numbers::Numbers;

const VERSION: u8 = 1;
/// Length of the version and the checksum.
const HEAD: usize = 9;
/// Maximum number of samples in a chunk. A chunk that claims more is damaged.
pub const MAX_SAMPLES: usize = 1 << 20;

/// Encodes samples as a chunk, in their order. There are at most 1,048,576, and their times are from year 0 to year
/// 9999.
pub fn encode(samples: &[Sample]) -> Vec<u8> {
    let mut texts = Texts::default();
    let kinds = samples.iter().map(|sample| texts.number(sample.kind.as_ref()));
    let kinds: Vec<_> = kinds.collect();
    let units: Vec<_> = samples
        .iter()
        .map(|sample| texts.number(sample.unit.as_ref()))
        .collect();
    let rests: Vec<_> = samples
        .iter()
        .map(|sample| texts.number(sample.rest.as_ref()))
        .collect();
    let mut out = Encoder::default();
    out.count(samples.len());
    out.count(texts.list.len());
    texts.list.iter().for_each(|text| out.text(text));
    let column = |number: fn(&Sample) -> i64| samples.iter().map(number).collect::<Vec<_>>();
    out.column(&column(|sample| sample.time));
    out.column(&column(|sample| sample.offset.into()));
    out.column(&column(|sample| {
        sample
            .span
            .map_or(0, |(start, _)| encode_optional(sample.time.wrapping_sub(start)))
    }));
    out.column(&column(|sample| {
        sample.span.map_or(0, |(start, end)| end.wrapping_sub(start))
    }));
    for texts in [&kinds, &units, &rests] {
        out.column(texts);
    }
    out.column(&column(|sample| {
        sample
            .timezone_offset
            .map_or(0, |offset| encode_optional(offset.into()))
    }));
    out.column(&column(|sample| match sample.value {
        SampleValue::None => 0,
        SampleValue::One(_) => 1,
        SampleValue::Pressure(..) => 2,
    }));
    let first = samples.iter().map(|sample| match &sample.value {
        SampleValue::None => None,
        SampleValue::One(number) | SampleValue::Pressure(number, _) => Some(number),
    });
    numbers::write(&mut out, first);
    let second = samples.iter().map(|sample| match &sample.value {
        SampleValue::Pressure(_, number) => Some(number),
        _ => None,
    });
    numbers::write(&mut out, second);
    let body = out.into_bytes();
    let mut chunk = Vec::with_capacity(HEAD + body.len());
    chunk.push(VERSION);
    chunk.extend_from_slice(&XxHash3_64::oneshot(&body).to_le_bytes());
    chunk.extend_from_slice(&body);
    chunk
}

/// Decodes the samples of a chunk, in their order.
///
/// # Errors
///
/// If the bytes are not a chunk of [`encode`].
pub fn decode(chunk: &[u8]) -> Result<Vec<Sample>, DamagedChunk> {
    let (samples, _) = decode_matching(chunk, |_, _| true, PageLimit::NONE)?;
    Ok(samples)
}

/// Decodes the first samples of a chunk that match by time and type, within a limit. Returns also whether there are
/// more of them.
///
/// # Errors
///
/// If the bytes are not a chunk of [`encode`].
pub fn decode_matching(
    chunk: &[u8],
    wanted: impl Fn(i64, Option<&str>) -> bool,
    limit: PageLimit,
) -> Result<(Vec<Sample>, bool), DamagedChunk> {
    let columns = Columns::read(chunk)?;
    let mut samples = Vec::with_capacity(columns.times.len().min(limit.items));
    let (mut budget, is_bounded) = (Budget::of(limit), limit.bytes < usize::MAX);
    for (row, time) in columns.times.iter().enumerate() {
        if wanted(*time, columns.text(columns.kinds[row])?.map(|kind| kind.text)) {
            let bytes = if is_bounded { columns.bytes(row)? } else { 0 };
            if !budget.take(bytes) {
                return Ok((samples, true));
            }
            samples.push(columns.sample(row)?);
        }
    }
    Ok((samples, false))
}

/// Decodes the samples of a chunk at some times. If the chunk has none of them, only its times are decoded.
///
/// # Errors
///
/// If the bytes are not a chunk of [`encode`].
pub fn decode_at(chunk: &[u8], times: &HashSet<i64>) -> Result<Vec<Sample>, DamagedChunk> {
    let (_, _, found) = read_times(chunk)?;
    if !found.iter().any(|time| times.contains(time)) {
        return Ok(Vec::new());
    }
    let (samples, _) = decode_matching(chunk, |time, _| times.contains(&time), PageLimit::NONE)?;
    Ok(samples)
}

/// Decodes the texts and the times of a chunk. Returns also the reader of the other columns.
fn read_times(chunk: &[u8]) -> Result<(Decoder<'_>, Vec<Text<'_>>, Vec<i64>), DamagedChunk> {
    let (head, body) = chunk.split_at_checked(HEAD).ok_or(DamagedChunk)?;
    if head[0] != VERSION || head[1..] != XxHash3_64::oneshot(body).to_le_bytes() {
        return Err(DamagedChunk);
    }
    let mut from = Decoder::new(body);
    let count = from.count(MAX_SAMPLES)?;
    let texts = from.count(body.len())?;
    let texts = (0..texts).map(|_| from.text().map(Text::new));
    let texts = texts.collect::<Result<_, _>>()?;
    let times = from.column(count)?;
    Ok((from, texts, times))
}

/// Approximate size of a sample in memory and as JSON. `texts` is the length of its texts.
fn size_with(texts: usize) -> usize {
    const OTHERS: usize = 128;
    OTHERS + texts
}

/// Approximate size of a sample in memory and as JSON, in bytes.
pub fn size(sample: &Sample) -> usize {
    let texts = [&sample.kind, &sample.unit, &sample.rest];
    size_with(texts.into_iter().flatten().map(|text| text.len()).sum())
}

/// A text of a chunk. It may be long, so it is copied only on demand.
struct Text<'a> {
    text: &'a str,
    /// Copy that samples share.
    shared: OnceCell<Arc<str>>,
}

/// The columns of a chunk.
struct Columns<'a> {
    texts: Vec<Text<'a>>,
    times: Vec<i64>,
    offsets: Vec<i64>,
    before: Vec<i64>,
    lengths: Vec<i64>,
    kinds: Vec<i64>,
    units: Vec<i64>,
    rests: Vec<i64>,
    zones: Vec<i64>,
    forms: Vec<i64>,
    first: Numbers,
    second: Numbers,
}

impl<'a> Text<'a> {
    fn new(text: &'a str) -> Self {
        let shared = OnceCell::new();
        Self { text, shared }
    }
}

impl<'a> Columns<'a> {
    fn read(chunk: &'a [u8]) -> Result<Self, DamagedChunk> {
        let (mut from, texts, times) = read_times(chunk)?;
        let count = times.len();
        let columns = Self {
            texts,
            times,
            offsets: from.column(count)?,
            before: from.column(count)?,
            lengths: from.column(count)?,
            kinds: from.column(count)?,
            units: from.column(count)?,
            rests: from.column(count)?,
            zones: from.column(count)?,
            forms: from.column(count)?,
            first: Numbers::read(&mut from, count)?,
            second: Numbers::read(&mut from, count)?,
        };
        from.finish()?;
        Ok(columns)
    }

    fn text(&self, number: i64) -> Result<Option<&Text<'a>>, DamagedChunk> {
        match number {
            0 => Ok(None),
            number => {
                let at = usize::try_from(number - 1).map_err(|_| DamagedChunk)?;
                self.texts.get(at).map(Some).ok_or(DamagedChunk)
            }
        }
    }

    fn shared_text(&self, number: i64) -> Result<Option<Arc<str>>, DamagedChunk> {
        let text = self.text(number)?;
        Ok(text.map(|text| text.shared.get_or_init(|| Arc::from(text.text)).clone()))
    }

    /// Approximate size of the sample of a row, in bytes.
    fn bytes(&self, row: usize) -> Result<usize, DamagedChunk> {
        let mut texts = 0;
        for numbers in [&self.kinds, &self.units, &self.rests] {
            texts += self.text(numbers[row])?.map_or(0, |text| text.text.len());
        }
        Ok(size_with(texts))
    }

    fn sample(&self, row: usize) -> Result<Sample, DamagedChunk> {
        let time = self.times[row];
        let span = decode_optional(self.before[row])?.map(|before| {
            let start = time.wrapping_sub(before);
            (start, start.wrapping_add(self.lengths[row]))
        });
        let zone = decode_optional(self.zones[row])?.map(i32::try_from).transpose();
        Ok(Sample {
            time,
            offset: i32::try_from(self.offsets[row]).map_err(|_| DamagedChunk)?,
            span,
            kind: self.shared_text(self.kinds[row])?,
            value: match self.forms[row] {
                0 => SampleValue::None,
                1 => SampleValue::One(self.first.number(row)),
                2 => SampleValue::Pressure(self.first.number(row), self.second.number(row)),
                _ => return Err(DamagedChunk),
            },
            unit: self.shared_text(self.units[row])?,
            timezone_offset: zone.map_err(|_| DamagedChunk)?,
            rest: self.shared_text(self.rests[row])?,
        })
    }
}

/// Encodes a number that is present. 0 encodes an absent one.
fn encode_optional(number: i64) -> i64 {
    // Most values are close to 0.
    if number >= 0 { number.wrapping_add(1) } else { number }
}

fn decode_optional(number: i64) -> Result<Option<i64>, DamagedChunk> {
    match number {
        0 => Ok(None),
        1.. => Ok(Some(number - 1)),
        // It would encode two numbers, and neither is a difference of times from year 0 to year 9999.
        i64::MIN => Err(DamagedChunk),
        _ => Ok(Some(number)),
    }
}

/// Distinct texts with their numbers.
#[derive(Default)]
struct Texts {
    list: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, i64>,
    /// The previous text: most samples have the same texts.
    before: Option<(Arc<str>, i64)>,
}

impl Texts {
    /// Returns the number of a text, from 1. 0 encodes no text.
    fn number(&mut self, text: Option<&Arc<str>>) -> i64 {
        let Some(text) = text else { return 0 };
        if let Some((before, number)) = &self.before
            && Arc::ptr_eq(before, text)
        {
            return *number;
        }
        let number = match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                self.list.push(text.clone());
                let number = i64::try_from(self.list.len()).unwrap_or(i64::MAX);
                self.numbers.insert(text.clone(), number);
                number
            }
        };
        self.before = Some((text.clone(), number));
        number
    }
}
