//! Decompression of bodies, and errors of invalid ones.

use std::borrow::Cow;

use thiserror::Error;

/// Maximum length of a decompressed body: 64 MiB. A pull with its values has up to half of that.
pub const LARGEST: usize = 64 * 1024 * 1024;

/// The bytes that gzip begins with, and JSON never does.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Error of a body that is not an event. Shows nothing of it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The body is not JSON, or not an event.
    #[error("the body is not an event: {0}")]
    Event(#[source] serde_json::Error),
    /// The body is gzip that was cut off or changed.
    #[error("invalid gzip body: {0}")]
    Gzip(#[source] std::io::Error),
    /// The body unpacks to more than this many bytes, and may have been made to fill the memory.
    #[error("the body unpacks to more than {0} bytes: raise the limit if events may be as large")]
    TooLarge(usize),
    /// The body has an unsupported encoding.
    #[error("the content encoding is neither gzip nor identity")]
    Encoding,
    /// The body is gzip, which this build does not support.
    #[error("the body is compressed: turn on the feature `compression` of wearlab-models")]
    Compressed,
}

/// Decompresses the body, if it is compressed.
pub(crate) fn unpack<'b>(
    content_encoding: Option<&str>,
    body: &'b [u8],
    limit: usize,
) -> Result<Cow<'b, [u8]>, ReadError> {
    let encoding = content_encoding.unwrap_or_default().trim();
    // Proxies that decompress bodies often leave the header: the beginning of the body is more reliable. And
    // some brokers' libraries put the name of a charset here.
    let known = ["", "identity", "utf-8", "gzip", "x-gzip"];
    if !known.iter().any(|known| encoding.eq_ignore_ascii_case(known)) {
        Err(ReadError::Encoding)
    } else if body.starts_with(&GZIP) {
        gunzip(body, limit).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(body))
    }
}

#[cfg(feature = "compression")]
fn gunzip(body: &[u8], limit: usize) -> Result<Vec<u8>, ReadError> {
    use std::io::Read;

    let mut unpacked = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    flate2::read::MultiGzDecoder::new(body)
        .take(most)
        .read_to_end(&mut unpacked)
        .map_err(ReadError::Gzip)?;
    if unpacked.len() > limit {
        return Err(ReadError::TooLarge(limit));
    }
    Ok(unpacked)
}

#[cfg(not(feature = "compression"))]
fn gunzip(_: &[u8], _: usize) -> Result<Vec<u8>, ReadError> {
    Err(ReadError::Compressed)
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{LARGEST, ReadError, unpack};
    use crate::Event;

    const EVENT: &[u8] = br#"{"event_type":"lab.order.created","data":{"value":"72 bpm"}}"#;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn compressed_or_not_is_seen_from_the_header_or_the_body() {
        for encoding in [
            None,
            Some(""),
            Some("gzip"),
            Some("GZip "),
            Some("identity"),
            Some("UTF-8"),
        ] {
            for body in [
                EVENT.to_vec(),
                gzip(EVENT),
                [gzip(&EVENT[..9]), gzip(&EVENT[9..])].concat(),
            ] {
                let event = Event::from_encoded(encoding, &body).expect("an event");
                assert_eq!(serde_json::to_vec(&event).ok().as_deref(), Some(EVENT));
            }
        }
        for encoding in ["br", "deflate", "gzip, gzip", "zstd"] {
            let error = Event::from_encoded(Some(encoding), EVENT).expect_err("not read");
            assert!(matches!(error, ReadError::Encoding), "{encoding}: {error}");
        }
    }

    #[test]
    fn what_was_cut_off_or_changed_is_an_error() {
        let whole = gzip(EVENT);
        for length in 2..whole.len() {
            let error = Event::from_encoded(None, &whole[..length]).expect_err("cut off");
            assert!(matches!(error, ReadError::Gzip(_)), "{length}: {error}");
        }
        let mut changed = whole.clone();
        let checksum = changed.len() - 8;
        changed[checksum] ^= 1;
        assert!(matches!(Event::from_encoded(None, &changed), Err(ReadError::Gzip(_))));
        let trailing = [&whole[..], b"{}"].concat();
        assert!(matches!(Event::from_encoded(None, &trailing), Err(ReadError::Gzip(_))));
    }

    #[test]
    fn what_is_made_to_fill_the_memory_is_an_error() {
        let bomb = gzip(&vec![b' '; LARGEST + 1]);
        assert!(bomb.len() < LARGEST / 500);
        assert!(matches!(
            Event::from_encoded(None, &bomb),
            Err(ReadError::TooLarge(LARGEST))
        ));
        let body = gzip(EVENT);
        assert_eq!(unpack(None, &body, EVENT.len()).ok().as_deref(), Some(EVENT));
        let limit = EVENT.len() - 1;
        assert!(matches!(unpack(None, &body, limit), Err(ReadError::TooLarge(found)) if found == limit));
    }

    #[test]
    fn errors_do_not_quote_the_body() {
        let cut = &EVENT[..EVENT.len() - 3];
        for body in [
            cut.to_vec(),
            gzip(cut),
            gzip(br#"{"event_type":"daily.data.steps.created","data":"72 bpm"}"#),
        ] {
            let error = Event::from_encoded(None, &body).expect_err("no event");
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("72"), "{shown}");
        }
    }
}
