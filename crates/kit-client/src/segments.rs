//! Encoding of bodies of several parts: segments in memory, and files that are read while sending.

use bytes::Bytes;
use uuid::Uuid;
use wearlab_kit_types::FileContent;
use wearlab_kit_types::multipart::Part;

/// Encodes a body of several parts (RFC 7578). Returns its boundary, too.
pub(crate) fn encode(parts: Vec<Part>) -> (String, Vec<FileContent>) {
    let boundary = Uuid::new_v4().simple().to_string();
    let mut segments = Vec::new();
    for part in parts {
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(&part.name)
        );
        if let Some(name) = &part.filename {
            head += &format!("; filename=\"{}\"", quoted(name));
        }
        if let Some(media_type) = &part.content_type {
            head += &format!("\r\nContent-Type: {}", media_type.replace(['\r', '\n'], ""));
        }
        head += "\r\n\r\n";
        segments.extend([text(head), part.content, text("\r\n".to_owned())]);
    }
    segments.push(text(format!("--{boundary}--\r\n")));
    (boundary, segments)
}

/// A name in quotes, as in HTML.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn text(text: String) -> FileContent {
    FileContent::Bytes(Bytes::from(text))
}

/// All segments in memory. None if one is a file on disk.
pub(crate) fn in_memory(segments: &[FileContent]) -> Option<Bytes> {
    let mut whole = Vec::new();
    for segment in segments {
        match segment {
            FileContent::Bytes(bytes) => whole.extend_from_slice(bytes),
            FileContent::Path(..) => return None,
        }
    }
    Some(whole.into())
}

#[cfg(not(target_family = "wasm"))]
pub(crate) use stream::body;

#[cfg(not(target_family = "wasm"))]
mod stream {
    use std::collections::VecDeque;
    use std::future::Future;
    use std::io;
    use std::path::PathBuf;
    use std::pin::Pin;
    use std::sync::Mutex;
    use std::task::{Context, Poll, ready};

    use bytes::Bytes;
    use http_body::{Frame, SizeHint};
    use tokio::fs::File;
    use tokio::io::{AsyncRead, ReadBuf};
    use wearlab_kit_types::FileContent;

    /// Maximum length of a segment.
    const CHUNK: usize = 64 * 1024;

    /// Segments as a body, which reads files while it is sent.
    pub(crate) fn body(segments: Vec<FileContent>) -> reqwest::Body {
        let left = segments.iter().map(length).sum();
        reqwest::Body::wrap(Segments {
            rest: segments.into(),
            file: Mutex::new(None),
            left,
        })
    }

    fn length(segment: &FileContent) -> u64 {
        match segment {
            FileContent::Bytes(bytes) => bytes.len() as u64,
            FileContent::Path(_, length) => *length,
        }
    }

    struct Segments {
        rest: VecDeque<FileContent>,
        /// The file being read. A body has to be `Sync`, which opening a file is not.
        file: Mutex<Option<Reading>>,
        left: u64,
    }

    enum Reading {
        Opening(Pin<Box<dyn Future<Output = io::Result<File>> + Send>>, u64),
        Open(File, u64),
    }

    impl http_body::Body for Segments {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
            let this = self.get_mut();
            let part = loop {
                if let Some(part) = ready!(this.poll_file(context)) {
                    break part;
                }
                match this.rest.pop_front() {
                    None => return Poll::Ready(None),
                    Some(FileContent::Path(path, length)) => this.open(path, length),
                    Some(FileContent::Bytes(bytes)) if bytes.is_empty() => {}
                    Some(FileContent::Bytes(mut bytes)) => {
                        let part = bytes.split_to(bytes.len().min(CHUNK));
                        this.rest.push_front(FileContent::Bytes(bytes));
                        break Ok(part);
                    }
                }
            };
            Poll::Ready(Some(part.map(|part| {
                this.left = this.left.saturating_sub(part.len() as u64);
                Frame::data(part)
            })))
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(self.left)
        }
    }

    impl Segments {
        fn open(&mut self, path: PathBuf, length: u64) {
            let opening = Reading::Opening(Box::pin(File::open(path)), length);
            *self.file.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(opening);
        }

        /// Reads the next part of the file. None at its end.
        fn poll_file(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
            let file = self.file.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            loop {
                match file {
                    None | Some(Reading::Open(_, 0)) => {
                        *file = None;
                        return Poll::Ready(None);
                    }
                    Some(Reading::Opening(opening, length)) => match ready!(opening.as_mut().poll(context)) {
                        Ok(open) => *file = Some(Reading::Open(open, *length)),
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    },
                    Some(Reading::Open(open, left)) => {
                        let most = usize::try_from(*left).unwrap_or(CHUNK).min(CHUNK);
                        let mut buffer = vec![0; most];
                        let mut read = ReadBuf::new(&mut buffer);
                        if let Err(error) = ready!(Pin::new(open).poll_read(context, &mut read)) {
                            return Poll::Ready(Some(Err(error)));
                        }
                        let count = read.filled().len();
                        if count == 0 {
                            let error = io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter");
                            return Poll::Ready(Some(Err(error)));
                        }
                        *left -= count as u64;
                        buffer.truncate(count);
                        return Poll::Ready(Some(Ok(buffer.into())));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_between_boundaries() {
        let part = Part {
            name: "a\"b".to_owned(),
            filename: Some("c\r\nd".to_owned()),
            content_type: Some("text/csv".to_owned()),
            content: text("1,2".to_owned()),
        };
        let (boundary, segments) = encode(vec![part]);
        let whole = in_memory(&segments).expect("bytes");
        let wanted = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22b\"; filename=\"c%0D%0Ad\"\r\n\
             Content-Type: text/csv\r\n\r\n1,2\r\n--{boundary}--\r\n"
        );
        assert_eq!(whole, wanted);
    }
}
