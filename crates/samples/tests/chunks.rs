//! Round trips and damage of chunks.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use twox_hash::XxHash3_64;
use wearlab_ingest::{Number, Sample, SampleValue};
use wearlab_samples::{decode, encode};

/// Length of the version and the checksum.
const HEAD: usize = 9;
const VERSION: u8 = 1;

fn number(rng: &mut ChaCha8Rng) -> Number {
    match rng.random_range(0..6) {
        0 => Number::decimal(rng.random_range(0..200), 0),
        1 => Number::decimal(rng.random_range(-2000..2000), 2),
        2 => Number::decimal(rng.random(), rng.random_range(0..=18)),
        3 => Number::read("1e300"),
        4 => Number::read("18446744073709551617.25"),
        _ => Number::decimal([i64::MIN, i64::MAX, 0][rng.random_range(0..3)], 0),
    }
}

fn sample(rng: &mut ChaCha8Rng) -> Sample {
    let text = |rng: &mut ChaCha8Rng, texts: [&str; 3]| match rng.random_range(0..4) {
        3 => None,
        at => Some(Arc::from(texts[at])),
    };
    let time = match rng.random_range(0..8) {
        0 => [i64::MIN, i64::MAX, 0][rng.random_range(0..3)],
        _ => 1_777_000_000_000_000 + rng.random_range(-86_400_000_000..86_400_000_000_i64),
    };
    Sample {
        time,
        offset: [0, 3600, -12_600][rng.random_range(0..3)],
        span: match rng.random_range(0..4) {
            0 => None,
            1 => Some((rng.random(), rng.random())),
            2 => Some((time, time)),
            _ => Some((time.wrapping_sub(60_000_000), time)),
        },
        kind: text(rng, ["watch", "phone", "ü\u{1f600}"]),
        value: match rng.random_range(0..4) {
            0 => SampleValue::None,
            1 => SampleValue::Pressure(number(rng), number(rng)),
            _ => SampleValue::One(number(rng)),
        },
        unit: text(rng, ["count", "bpm", ""]),
        timezone_offset: [None, Some(0), Some(i32::MIN), Some(i32::MAX), Some(-1)][rng.random_range(0..5)],
        rest: text(rng, [r#"{"a":1}"#, r#"{"b":[null]}"#, "{}"]),
    }
}

#[test]
fn chunks_of_any_samples_are_read_as_they_were_written() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for count in (0..60).chain([500, 5000]) {
        let samples: Vec<_> = (0..count).map(|_| sample(&mut rng)).collect();
        let chunk = encode(&samples);
        assert!(decode(&chunk) == Ok(samples), "{count} samples");
    }
}

#[test]
fn a_chunk_that_is_not_as_it_was_written_is_an_error() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let samples: Vec<_> = (0..40).map(|_| sample(&mut rng)).collect();
    let chunk = encode(&samples);
    for at in 0..chunk.len() {
        assert!(decode(&chunk[..at]).is_err(), "the first {at} bytes");
        for bit in 0..8 {
            let mut flipped = chunk.clone();
            flipped[at] ^= 1 << bit;
            assert!(decode(&flipped).is_err(), "bit {bit} of byte {at}");
        }
    }
    assert!(decode(&[chunk, vec![0]].concat()).is_err());
}

/// Random bytes with a valid checksum cause an error at most.
#[test]
fn a_chunk_of_anything_does_no_harm() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let samples: Vec<_> = (0..40).map(|_| sample(&mut rng)).collect();
    let chunk = encode(&samples);
    for _ in 0..20_000 {
        let mut body = chunk[HEAD..].to_vec();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..body.len());
            body[at] = rng.random();
        }
        let mut forged = vec![VERSION];
        forged.extend_from_slice(&XxHash3_64::oneshot(&body).to_le_bytes());
        forged.extend_from_slice(&body);
        drop(decode(&forged));
    }
}

/// Glucose from a sensor: the overhead of a chunk is the length of a few values.
#[test]
fn chunks_of_a_fixed_rate_have_next_to_nothing_but_values() {
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    let samples = |count: i64, rng: &mut ChaCha8Rng| -> Vec<_> {
        let sample = |index| Sample {
            time: 1_777_000_000_000_000 + index * 300_000_000,
            offset: 0,
            span: None,
            kind: None,
            value: SampleValue::One(Number::decimal(rng.random_range(70..134), 0)),
            unit: Some(Arc::from("mg/dL")),
            timezone_offset: None,
            rest: None,
        };
        (0..count).map(sample).collect()
    };
    // Values of 64 equally likely ones take at least 6 bits.
    for (count, most) in [(1, 60), (12, 75), (288, 330)] {
        let samples = samples(count, &mut rng);
        let chunk = encode(&samples);
        assert!(chunk.len() <= most, "{} bytes of {count} samples", chunk.len());
        assert!(decode(&chunk) == Ok(samples), "{count} samples");
    }
}

/// A day of a wrist at 0.2 Hz, with jittered milliseconds.
#[test]
fn a_day_of_heart_rate_is_less_than_a_byte_a_sample() {
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let mut beats = 60_i64;
    let samples: Vec<_> = (0..17_280_i64)
        .map(|index| {
            beats = (beats + rng.random_range(-1..=1)).clamp(45, 150);
            Sample {
                time: 1_777_000_000_000_000 + index * 5_000_000 + rng.random_range(-20..20) * 1000,
                offset: 3600,
                span: None,
                kind: None,
                value: SampleValue::One(Number::decimal(beats, 0)),
                unit: Some(Arc::from("bpm")),
                timezone_offset: Some(3600),
                rest: None,
            }
        })
        .collect();
    let chunk = encode(&samples);
    assert!(chunk.len() < samples.len() * 5 / 4, "{} bytes", chunk.len());
}

/// A chunk that the first release wrote, with a column of each encoding.
#[test]
fn a_chunk_of_version_1_is_read() {
    let chunk = include_bytes!("versions/samples-1.chunk");
    let lines = include_str!("versions/samples-1.ndjson");
    let read = decode(chunk).expect("a chunk");
    let expected: Vec<_> = lines
        .lines()
        .map(|line| Sample::read(&serde_json::from_str(line).expect("JSON")).expect("a sample"))
        .collect();
    assert!(read.len() == 120 && read == expected);
    assert!(chunk.windows(4).any(|bytes| bytes == b"pco!"), "no column of pco's");
    assert!(encode(&expected) == chunk, "the same samples are other bytes");
}

/// Writes the files of the test above. Run it only for a new version, with other file names.
#[test]
#[ignore = "writes files of a new version"]
fn write_a_chunk_of_this_version() {
    let samples: Vec<_> = (0..120_i64)
        .map(|row| {
            let time = 1_777_000_000_000_000 + row * 5_000_000;
            let value = match row % 5 {
                0 => SampleValue::Pressure(Number::decimal(1180 + row, 1), Number::decimal(76, 0)),
                1 => SampleValue::One(Number::read("18446744073709551617.25")),
                2 => SampleValue::None,
                _ => SampleValue::One(Number::decimal(600 + row * row % 90, 1)),
            };
            Sample {
                time,
                offset: 7200,
                span: (row % 3 == 0).then_some((time - 60_000_000, time)),
                kind: (row % 4 > 0)
                    .then(|| Arc::from(["watch", "ring", "ü\u{1f600}"][usize::try_from(row % 4).unwrap_or(1) - 1])),
                value,
                unit: Some(Arc::from("mmHg")),
                timezone_offset: (row % 2 == 0).then_some(-3600),
                rest: (row % 10 == 0).then(|| Arc::from(r#"{"of_no_schema":{"is":["kept",1.50]}}"#)),
            }
        })
        .collect();
    let lines = samples.iter().map(|sample| {
        let mut line = Vec::new();
        sample.write(&mut line);
        String::from_utf8(line).expect("JSON") + "\n"
    });
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/versions");
    std::fs::write(format!("{directory}/samples-1.ndjson"), lines.collect::<String>()).expect("writes");
    std::fs::write(format!("{directory}/samples-1.chunk"), encode(&samples)).expect("writes");
}
