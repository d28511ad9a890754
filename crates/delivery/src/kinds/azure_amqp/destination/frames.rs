//! Limits the depth of received values: the library parses nested values by recursion, and deep ones
//! would overflow the stack.

use std::io;

use crate::socket::Inspect;

/// Maximum length of a frame.
pub(super) const LONGEST: u32 = 65_536;
/// Maximum number of octets of a frame that may begin a nested value, and so of its depth. Frames of namespaces have
/// a few dozen.
const DEEPEST: usize = 128;
/// Size, offset of the body, type and channel. Headers of the protocol are as long.
const HEADER: usize = 8;
/// The code of the performative that carries messages.
const TRANSFER: u8 = 0x14;

/// The frames of a namespace.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// True once a header of the protocol has arrived. The library reports anything else.
    begun: bool,
    /// The current frame, as far as it has arrived.
    frame: Vec<u8>,
}

impl Inspect for Frames {
    fn inspect(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let Self { begun, frame } = self;
        while !bytes.is_empty() {
            let size = match *frame.as_slice() {
                [s, i, z, e, _, _, _, _, ..] => u32::from_be_bytes([s, i, z, e]) as usize,
                _ => HEADER,
            };
            let (taken, rest) = bytes.split_at(bytes.len().min(size - frame.len()));
            frame.extend_from_slice(taken);
            bytes = rest;
            if let [s, i, z, e, offset, _, _, _] = *frame.as_slice() {
                let size = u32::from_be_bytes([s, i, z, e]);
                if frame.starts_with(b"AMQP") {
                    *begun = true;
                    frame.clear();
                } else if !*begun {
                    frame.clear();
                    return Ok(());
                } else if !(HEADER as u32..=LONGEST).contains(&size) || offset != 2 {
                    return invalid("it sent a frame with an invalid header");
                } else if size as usize == HEADER {
                    frame.clear();
                }
            } else if frame.len() > HEADER && frame.len() == size {
                check(&frame[HEADER..])?;
                frame.clear();
            }
        }
        Ok(())
    }
}

fn invalid<T>(problem: &str) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidData, problem))
}

/// Checks a body. Any octet that may begin a nested value counts as one.
fn check(body: &[u8]) -> io::Result<()> {
    let described = body.windows(2).filter(|pair| pair[0] == 0 && pair[1] != 0).count();
    let compound = body
        .iter()
        .filter(|octet| matches!(octet, 0xC0 | 0xC1 | 0xD0 | 0xD1 | 0xE0 | 0xF0));
    if described + compound.count() > DEEPEST {
        return invalid("it sent a frame with too many values in others");
    }
    match body {
        [] => Ok(()),
        // Messages are responses to tokens, which are short. One in several frames could be deeper than each of them.
        [0, 0x53, TRANSFER, fields @ ..] | [0, 0x80, 0, 0, 0, 0, 0, 0, 0, TRANSFER, fields @ ..]
            if is_last(fields) != Some(true) =>
        {
            invalid("it sent a message in several frames")
        }
        [0, 0x53, ..] | [0, 0x80, 0, 0, 0, 0, 0, 0, 0, _, ..] => Ok(()),
        _ => invalid("it sent a frame without a performative"),
    }
}

/// Returns true if a transfer is the last of its message: its sixth field, `more`, is not set. None if it cannot be read.
fn is_last(list: &[u8]) -> Option<bool> {
    let (count, mut fields) = match list {
        [0xC0, _, count, fields @ ..] => (u32::from(*count), fields),
        [0xD0, _, _, _, _, c, o, u, n, fields @ ..] => (u32::from_be_bytes([*c, *o, *u, *n]), fields),
        _ => return None,
    };
    if count < 6 {
        return Some(true);
    }
    for _ in 0..5 {
        let (constructor, value) = fields.split_first()?;
        let length = match constructor >> 4 {
            4 => 0,
            width @ 5..=9 => 1 << (width - 5),
            0xA => 1 + usize::from(*value.first()?),
            _ => return None,
        };
        fields = value.get(length..)?;
    }
    match fields {
        [0x40 | 0x42, ..] | [0x56, 0, ..] => Some(true),
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, Frames};
    use crate::socket::Inspect;

    fn frame(body: &[u8]) -> Vec<u8> {
        let size = u32::try_from(body.len() + 8).expect("a size").to_be_bytes();
        [&size[..], &[2, 0, 0, 0], body].concat()
    }

    /// The problem of the last of some frames, for any chunks of reads. The earlier ones have none.
    #[track_caller]
    fn problem(frames: &[Vec<u8>]) -> String {
        let frames = [&[b"AMQP\0\x01\0\0".to_vec()], frames].concat();
        let bytes = frames.concat();
        let good = bytes.len() - frames.last().map_or(0, Vec::len);
        let problems = [1, 2, 3, 7, 8, 4096].map(|step| {
            let mut frames = Frames::default();
            assert!(bytes[..good].chunks(step).all(|bytes| frames.inspect(bytes).is_ok()));
            let failed = bytes[good..].chunks(step).find_map(|bytes| frames.inspect(bytes).err());
            failed.map(|error| error.to_string()).unwrap_or_default()
        });
        assert!(problems.iter().all(|problem| *problem == problems[0]), "{problems:?}");
        problems[0].clone()
    }

    #[test]
    fn deep_frames_are_told_wherever_reads_end() {
        let begun = [
            b"AMQP\x03\x01\0\0".to_vec(),
            frame(b"\0\x53\x40\x45"),
            b"AMQP\0\x01\0\0".to_vec(),
            frame(b""),
        ];
        let with = |body: &[u8]| problem(&[&begun[..], &[frame(body)]].concat());
        let deep = "it sent a frame with too many values in others";
        for level in [
            &b"\0\x44"[..],
            b"\0\xA3\x01a",
            b"\xC0\x01\x01",
            b"\xD1\0\0\0",
            b"\xF0\0\0\0",
        ] {
            let each = level
                .windows(2)
                .filter(|pair| pair[0] == 0 && pair[1] != 0)
                .count()
                .max(1);
            let body = |levels: usize| [&b"\0\x53\x11"[..], &level.repeat(levels / each)].concat();
            assert_eq!(with(&body(DEEPEST / 2 - 1)), "", "{level:?}");
            assert_eq!(with(&body(DEEPEST)), deep, "{level:?}");
        }
        assert_eq!(with(b"\x45"), "it sent a frame without a performative");
        for header in [
            [0, 0, 0, 7, 2, 0, 0, 0],
            [0, 1, 0, 1, 2, 0, 0, 0],
            [0, 0, 0, 9, 3, 0, 0, 0],
        ] {
            assert_eq!(problem(&[header.to_vec()]), "it sent a frame with an invalid header");
        }
    }

    #[test]
    fn other_protocols_are_left_to_the_library() {
        let mut frames = Frames::default();
        assert!(frames.inspect(b"HTTP/1.1 400 Bad Request\r\n\r\n").is_ok());
        assert!(frames.inspect(b"HT").is_ok() && frames.inspect(b"TP/1.1 400 Bad Request\r\n\r\n").is_ok());
    }

    #[test]
    fn messages_are_in_one_frame() {
        let before = b"\x43\x52\x01\xA0\x02ab\x43\x42";
        for (more, last) in [
            (&b"\x42"[..], true),
            (b"\x40", true),
            (b"\x56\0", true),
            (b"\x41", false),
            (b"\x56\x01", false),
        ] {
            for code in [&b"\0\x53\x14"[..], b"\0\x80\0\0\0\0\0\0\0\x14"] {
                for list in [&b"\xC0\x20\x06"[..], b"\xD0\0\0\0\x20\0\0\0\x06"] {
                    let body = [code, list, &before[..], more, b"\0\x53\x77\x40"].concat();
                    let expected = if last {
                        ""
                    } else {
                        "it sent a message in several frames"
                    };
                    assert_eq!(problem(&[frame(&body)]), expected, "{body:?}");
                }
            }
        }
        assert_eq!(problem(&[frame(b"\0\x53\x14\xC0\x03\x02\x43\x43")]), "");
    }
}
