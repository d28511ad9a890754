//! Payloads on the wire, compressed as the pipeline says.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression as Level;
use flate2::write::GzEncoder;
use wearlab_models::Compression;

/// Up to here, `auto` leaves a payload as it is.
const SMALL: usize = 1024;

/// When payloads are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gzip {
    Never,
    Large,
    Always,
}

impl Gzip {
    /// What a pipeline's setting says, unless it is none that we know.
    pub(super) fn parse(compression: &Compression) -> Option<Self> {
        match compression {
            Compression::None => Some(Self::Never),
            Compression::Auto => Some(Self::Large),
            Compression::Always => Some(Self::Always),
            _ => None,
        }
    }

    /// A payload as it is sent. The same goes in, the same comes out.
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

/// What a consumer gets.
pub(super) struct Payload {
    pub(super) bytes: Bytes,
    pub(super) gzip: bool,
}

impl Payload {
    /// How it is encoded, where it is.
    pub(super) fn encoding(&self) -> Option<&'static str> {
        self.gzip.then_some("gzip")
    }
}

fn compress(payload: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(payload.len() / 2), Level::default());
    encoder.write_all(payload).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use bytes::Bytes;
    use flate2::read::GzDecoder;
    use wearlab_models::Compression;

    use super::Gzip;

    #[test]
    fn what_is_compressed_follows_the_setting() {
        for (setting, length, gzip) in [
            ("none", 5000, false),
            ("auto", 0, false),
            ("auto", 1024, false),
            ("auto", 1025, true),
            ("always", 0, true),
            ("always", 5000, true),
        ] {
            let payload = Bytes::from(vec![b'a'; length]);
            let sent = Gzip::parse(&Compression::from(setting)).expect(setting).apply(&payload);
            assert_eq!(sent.encoding(), gzip.then_some("gzip"), "{setting} {length}");
            let mut read = Vec::new();
            match gzip {
                true => drop(GzDecoder::new(&sent.bytes[..]).read_to_end(&mut read).expect("gzip")),
                false => read.extend_from_slice(&sent.bytes),
            }
            assert_eq!(read, payload, "{setting} {length}");
        }
        assert_eq!(Gzip::parse(&Compression::from("brotli")), None);
    }
}
