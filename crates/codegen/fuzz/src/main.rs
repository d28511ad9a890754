//! Edits our own document by the fuzzer's bytes, and runs the generator on it.

#![no_main]

mod edit;
#[path = "../../tests/shared/project.rs"]
mod project;
mod survive;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static SPEC: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../../..")));

fuzz_target!(|bytes: &[u8]| {
    let text = edit::edited(&SPEC, bytes);
    // `SHOW=1` with the file of a finding prints the document that the bytes encode.
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{text}");
    }
    // Compiling takes ten times as long as checking: one in eight of those that could be.
    let compiled = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) % 8 == 0;
    if survive::check(&text, true) && compiled {
        survive::generate(&text);
    }
});
