//! Limits the depth of received values: lapin parses nested tables and arrays by recursion, and deep ones
//! would overflow the stack of its thread.

use std::io;

use crate::socket::Inspect;

/// Maximum depth of tables and arrays. Brokers have one or two levels.
const DEEPEST: usize = 16;
/// The type of frames whose payload is not parsed.
const BODY: u8 = 3;
/// The first octet of a protocol header, which is as long as the header of a frame and its end together.
const PROTOCOL: u8 = b'A';
/// Type, channel and size of a frame.
const HEADER: usize = 7;
/// Type and size of a table or an array in another.
const TAG: usize = 5;

/// The place in the frames that were read so far.
#[derive(Debug, Default)]
pub(super) struct Frames {
    header: [u8; HEADER],
    /// Received octets of the header.
    filled: usize,
    /// Missing octets after the header: the payload and the end.
    left: u64,
    /// The last octets of the payload.
    last: [u8; TAG],
    /// Octets left in the payload at the end of each open table or array.
    ends: Vec<u64>,
}

impl Inspect for Frames {
    fn inspect(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some((first, rest)) = bytes.split_first() {
            if self.left == 0 {
                self.begin(*first);
                bytes = rest;
            } else if self.header[0] == BODY {
                let skipped = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.left -= skipped as u64;
                bytes = &bytes[skipped..];
            } else {
                self.nest(*first)?;
                bytes = rest;
            }
        }
        Ok(())
    }
}

impl Frames {
    /// An octet of a header.
    fn begin(&mut self, octet: u8) {
        self.header[self.filled] = octet;
        self.filled += 1;
        if self.filled < HEADER {
            return;
        }
        let [kind, _, _, size @ ..] = self.header;
        let size = if kind == PROTOCOL { 0 } else { u32::from_be_bytes(size) };
        (self.filled, self.left) = (0, u64::from(size) + 1);
        self.last = [0; TAG];
        self.ends.clear();
    }

    /// An octet of a payload. Anything that may be a table or an array counts as one: methods are not parsed, and a
    /// level too many does no harm.
    fn nest(&mut self, octet: u8) -> io::Result<()> {
        self.left -= 1;
        self.last.rotate_left(1);
        self.last[TAG - 1] = octet;
        self.ends.retain(|end| *end <= self.left);
        let [tag, size @ ..] = self.last;
        if let b'A' | b'F' = tag
            && let Some(end) = self.left.checked_sub(u32::from_be_bytes(size).into())
        {
            self.ends.push(end);
        }
        if self.ends.len() > DEEPEST {
            let problem = format!("it sent tables within each other, more than {DEEPEST} levels deep");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, Frames};
    use crate::socket::Inspect;

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let size = u32::try_from(payload.len()).expect("a size").to_be_bytes();
        [&[kind, 0, 1][..], &size, payload, &[0xCE]].concat()
    }

    /// Arrays within each other, or tables with a field of an empty name.
    fn nested(levels: usize, tag: u8) -> Vec<u8> {
        (0..levels).fold(Vec::new(), |inner, _| {
            let size = u32::try_from(inner.len()).expect("a size").to_be_bytes();
            let name = if tag == b'F' { &[0][..] } else { &[] };
            [name, &[tag], &size, &inner].concat()
        })
    }

    #[test]
    fn levels_are_counted_wherever_reads_end() {
        let deep = |tag| nested(DEEPEST + 1, tag);
        let good = [
            b"AMQP\0\0\x09\x01".to_vec(),
            frame(1, &nested(DEEPEST, b'F')),
            frame(8, b""),
            frame(3, &deep(b'A')),
            frame(2, &[nested(DEEPEST, b'A'), nested(DEEPEST, b'F')].concat()),
            // No tables: they would be longer than the frame.
            frame(1, &b"A\0\x01\0\0".repeat(100)),
        ]
        .concat();
        for (kind, tag) in [(1, b'A'), (1, b'F'), (2, b'A'), (2, b'F')] {
            let bad = [good.clone(), frame(kind, &deep(tag))].concat();
            for step in [1, 2, 3, 7, 8, 4096] {
                let mut frames = Frames::default();
                assert!(
                    good.chunks(step).all(|bytes| frames.inspect(bytes).is_ok()),
                    "by {step}"
                );
                let mut frames = Frames::default();
                let failed = bad[..bad.len() - 1]
                    .chunks(step)
                    .find_map(|bytes| frames.inspect(bytes).err());
                let problem = failed.expect("the last is too deep").to_string();
                assert!(problem.ends_with("more than 16 levels deep"), "{problem}");
            }
        }
    }
}
