//! Values of response headers, in shared buffers: a value needs no allocation of its own.

use std::cell::RefCell;

use axum::http::HeaderValue;
use bytes::BytesMut;

/// The size of a shared buffer, which lives as long as one of its values.
const SHARED: usize = 4096;

/// A value of these bytes. None if they are invalid in a header.
pub(super) fn header_value(bytes: &[u8]) -> Option<HeaderValue> {
    thread_local! {
        static ROOM: RefCell<BytesMut> = RefCell::default();
    }
    ROOM.with_borrow_mut(|room| {
        if room.capacity() < bytes.len() {
            *room = BytesMut::with_capacity(SHARED.max(bytes.len()));
        }
        room.extend_from_slice(bytes);
        HeaderValue::from_maybe_shared(room.split().freeze()).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::{SHARED, header_value};

    #[test]
    fn values_are_what_they_are_made_of() {
        let longest = "l".repeat(2 * SHARED);
        let texts = (0..SHARED).map(|number| format!("\"{number}\"")).chain([longest]);
        let made: Vec<_> = texts.map(|text| (header_value(text.as_bytes()), text)).collect();
        for (value, text) in made {
            assert_eq!(value.expect("a value"), text);
        }
        assert_eq!(header_value(b"two\r\nlines"), None);
    }
}
