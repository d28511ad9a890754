//! Sends cursors to the service.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wearlab_tests::fuzz::cursors(bytes);
});
