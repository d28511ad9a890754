//! A few edits of our own document, as the fuzzer makes them: `crates/codegen/fuzz` runs them without end.

#[path = "../fuzz/src/edit.rs"]
mod edit;
#[path = "../fuzz/src/survive.rs"]
mod survive;

#[path = "../../../tests/src/seed.rs"]
mod seed;

use std::sync::LazyLock;

use seed::Seed;

use crate::project;

static SPEC: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));

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
fn edited_documents_are_supported_or_rejected_with_locations() {
    let (mut supported, mut rejected) = (0, 0);
    for given in Seed::each(0..48) {
        let seed = given.number();
        let text = edit::edited(&SPEC, &bytes(seed, 6 + 6 * usize::from(seed % 4 == 0)));
        // Most of the time is that of a check; the result of a second run hardly depends on the edit.
        if !survive::check(&text, seed.is_multiple_of(8)) {
            rejected += 1;
        } else {
            supported += 1;
            // Compiling takes longest.
            if supported <= 2 {
                survive::generate(&text);
            }
        }
    }
    assert!(
        supported > 2 && rejected > 10,
        "{supported} supported, {rejected} rejected: the edits are too wild, or too tame"
    );
}

#[test]
fn without_edits_the_document_is_itself() {
    assert_eq!(edit::edited(&SPEC, &[]), SPEC.trim_end_matches('\n'));
}
