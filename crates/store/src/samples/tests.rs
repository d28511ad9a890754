//! Chunks hold what was put into them.

use wearlab_ingest::{ExactObject, Sample};

use super::{Damaged, decode, encode};

fn sample(json: &str) -> Sample {
    let object: ExactObject = serde_json::from_str(json).expect("an object");
    Sample::read(&object).expect("a sample")
}

#[test]
fn what_was_encoded_is_decoded() {
    let samples = [
        sample(r#"{"timestamp":"2026-05-01T08:00:00.123+02:00","value":72,"unit":"bpm"}"#),
        sample(r#"{"timestamp":"2026-05-01T08:00:01+02:00","systolic":118,"diastolic":76.5,"type":"a","mood":"fine"}"#),
    ];
    for count in 0..=samples.len() {
        let chunk = encode(&samples[..count]);
        assert_eq!(decode(&chunk).expect("samples"), samples[..count]);
        for length in 0..chunk.len() {
            assert_eq!(decode(&chunk[..length]), Err(Damaged));
        }
        for bit in 0..chunk.len() * 8 {
            let mut damaged = chunk.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged), Err(Damaged));
        }
    }
}
