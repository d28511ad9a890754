//! Sends values in paths through the client.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wearlab_tests::fuzz::paths(bytes);
});
