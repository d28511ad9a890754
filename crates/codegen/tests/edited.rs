//! A few edits of our own document, as the fuzzer makes them: `crates/codegen/fuzz` runs them without end.

#[path = "../fuzz/src/edit.rs"]
mod edit;
#[path = "../fuzz/src/survive.rs"]
mod survive;

#[path = "../../../tests/src/seed.rs"]
mod seed;

use seed::Seed;

const SPEC: &str = include_str!("../../../spec/openapi.yaml");

/// Bytes that look random and are the same in every run (splitmix64).
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    });
    words.flat_map(u64::to_be_bytes).take(length).collect()
}

#[test]
fn edits_of_our_document_are_carried_or_refused_with_places() {
    let (mut carried, mut refused) = (0, 0);
    for given in Seed::each(0..48) {
        let seed = given.number();
        let text = edit::edited(SPEC, &bytes(seed, 6 + 6 * (seed as usize % 3)));
        if !survive::check(&text) {
            refused += 1;
        } else {
            carried += 1;
            // Compiling takes longest.
            if carried <= 2 {
                survive::generate(&text);
            }
        }
    }
    assert!(
        carried > 2 && refused > 10,
        "{carried} carried, {refused} refused: the edits are too wild, or too tame"
    );
}

#[test]
fn without_edits_the_document_is_itself() {
    assert_eq!(edit::edited(SPEC, &[]), SPEC.trim_end_matches('\n'));
}
