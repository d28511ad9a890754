//! Compression of payloads by the setting of the pipeline.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::kinds::azure_amqp::config::Gzip;

/// Maximum length up to which `auto` does not compress.
const SMALL: usize = 1024;

impl Gzip {
    /// Encodes a payload for sending, deterministically.
    pub(super) fn apply(self, payload: &Bytes) -> Payload {
        let gzip = match self {
            Self::Never => false,
            Self::Large => payload.len() > SMALL,
            Self::Always => true,
        };
        let bytes = match gzip {
            true => compress(payload).into(),
            false => payload.clone(),
        };
        Payload { bytes, gzip }
    }
}

/// Payload on the wire.
pub(super) struct Payload {
    pub(super) bytes: Bytes,
    pub(super) gzip: bool,
}

impl Payload {
    /// Content encoding, if it is compressed.
    pub(super) fn encoding(&self) -> Option<&'static str> {
        self.gzip.then_some("gzip")
    }
}

fn compress(payload: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(payload.len() / 2), Compression::default());
    encoder.write_all(payload).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use bytes::Bytes;
    use flate2::read::GzDecoder;

    use super::Gzip;

    #[test]
    fn what_is_compressed_follows_the_setting() {
        for (setting, length, gzip) in [
            (Gzip::Never, 5000, false),
            (Gzip::Large, 0, false),
            (Gzip::Large, 1024, false),
            (Gzip::Large, 1025, true),
            (Gzip::Always, 0, true),
            (Gzip::Always, 5000, true),
        ] {
            let payload = Bytes::from(vec![b'a'; length]);
            let sent = setting.apply(&payload);
            assert_eq!(sent.encoding(), gzip.then_some("gzip"), "{setting:?} {length}");
            let mut read = Vec::new();
            match gzip {
                true => drop(GzDecoder::new(&sent.bytes[..]).read_to_end(&mut read).expect("gzip")),
                false => read.extend_from_slice(&sent.bytes),
            }
            assert_eq!(read, payload, "{setting:?} {length}");
        }
    }
}
