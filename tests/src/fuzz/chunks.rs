//! Chunks of samples: round trips, detection of changes, and no panics.

use std::sync::Arc;

use twox_hash::XxHash3_64;
use wearlab_ingest::{Number, Sample, SampleValue};
use wearlab_samples::{decode, encode};

use super::bytes::Choices;

/// Reads a chunk.
pub fn chunks(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let kind = choices.below(4);
    if kind == 0 {
        // A random checksum does not match.
        assert!(decode(choices.rest()).is_err());
        return;
    }
    let samples: Vec<_> = std::iter::from_fn(|| (!choices.is_empty()).then(|| sample(&mut choices)))
        .take(64)
        .collect();
    let mut chunk = encode(&samples);
    assert!(decode(&chunk) == Ok(samples), "another chunk than was written");
    let at = choices.below(chunk.len());
    chunk[at] ^= 1 << choices.below(8);
    assert!(decode(&chunk).is_err(), "a flipped bit is a value");
    if kind > 1 {
        // With a valid checksum, which a disk fault cannot produce.
        let sum = XxHash3_64::oneshot(&chunk[9..]).to_le_bytes();
        chunk[1..9].copy_from_slice(&sum);
        if let Ok(forged) = decode(&chunk) {
            assert!(decode(&encode(&forged)) == Ok(forged), "not as it was read");
        }
    }
}

fn sample(choices: &mut Choices<'_>) -> Sample {
    let micros = |choices: &mut Choices<'_>| match choices.below(4) {
        // Times from year 0 to year 9999.
        0 => {
            i64::from_le_bytes(std::array::from_fn(|_| choices.byte())).rem_euclid(315_569_520_000_000_000)
                - 62_167_219_200_000_000
        }
        _ => 1_777_000_000_000_000 + i64::try_from(choices.below(60_000)).unwrap_or_default() * 1_000_000,
    };
    let text = |choices: &mut Choices<'_>| (choices.below(3) == 0).then(|| Arc::from(choices.text()));
    let time = micros(choices);
    Sample {
        time,
        offset: i32::from(choices.byte()) * 900,
        span: (choices.below(3) == 0).then(|| (micros(choices), time)),
        kind: text(choices),
        value: match choices.below(4) {
            0 => SampleValue::None,
            1 => SampleValue::Pressure(number(choices), number(choices)),
            _ => SampleValue::One(number(choices)),
        },
        unit: text(choices),
        timezone_offset: (choices.below(2) == 0).then(|| i32::from(choices.byte()) - 128),
        rest: text(choices),
    }
}

fn number(choices: &mut Choices<'_>) -> Number {
    match choices.below(4) {
        0 => Number::decimal(
            i64::from_le_bytes(std::array::from_fn(|_| choices.byte())),
            choices.byte() % 19,
        ),
        1 => Number::read("18446744073709551617.25"),
        _ => Number::decimal(choices.byte().into(), choices.byte() % 3),
    }
}
