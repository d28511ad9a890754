//! Sends lines to ingest.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wearlab_tests::fuzz::intake(bytes);
});
