//! Reads events, compressed or not.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wearlab_tests::fuzz::events(bytes);
});
