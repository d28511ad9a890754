//! Reads and forges chunks of samples.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wearlab_tests::fuzz::chunks(bytes);
});
