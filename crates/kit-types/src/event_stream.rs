//! Events of `text/event-stream` (Server-Sent Events of the HTML standard), and their reader.
//!
//! The crate `sse-stream` fails on lines that the standard ignores, and holds events of any length.

use std::time::Duration;

use bytes::{Buf, BytesMut};
use serde::{Deserialize, Serialize};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An event of a stream, with its data. As JSON, absent fields are left out, and `retry` is in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerSentEvent<T> {
    /// The name of the event; without one, it is a `message`. It is one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The id of the event, which a client sends as `Last-Event-ID` to continue after it. It is one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The pause before the client connects again.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "milliseconds")]
    pub retry: Option<Duration>,
    /// The data.
    pub data: T,
}

impl<T> ServerSentEvent<T> {
    /// An event of some data, without a name and an id.
    pub fn new(data: T) -> Self {
        Self {
            event: None,
            id: None,
            retry: None,
            data,
        }
    }

    /// Sets the name.
    #[must_use]
    pub fn with_event(mut self, event: impl Into<String>) -> Self {
        self.event = Some(event.into());
        self
    }

    /// Sets the id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the pause before the client connects again.
    #[must_use]
    pub fn with_retry(mut self, retry: Duration) -> Self {
        self.retry = Some(retry);
        self
    }

    /// The event with other data.
    ///
    /// # Errors
    ///
    /// That of the conversion.
    pub fn try_map<U, E>(self, convert: impl FnOnce(T) -> Result<U, E>) -> Result<ServerSentEvent<U>, E> {
        Ok(ServerSentEvent {
            event: self.event,
            id: self.id,
            retry: self.retry,
            data: convert(self.data)?,
        })
    }
}

impl ServerSentEvent<String> {
    /// The text of the event in a stream. None if its name or its id is not one line.
    pub fn to_text(&self) -> Option<String> {
        use std::fmt::Write;

        let mut text = String::new();
        for (name, value) in [("event", &self.event), ("id", &self.id)] {
            let Some(value) = value else { continue };
            if value.contains(['\r', '\n', '\0']) {
                return None;
            }
            // A string does not fail.
            let _ = writeln!(text, "{name}: {value}");
        }
        if let Some(retry) = self.retry {
            let _ = writeln!(text, "retry: {}", retry.as_millis());
        }
        for line in self.data.replace("\r\n", "\n").split(['\r', '\n']) {
            let _ = writeln!(text, "data: {line}");
        }
        text.push('\n');
        Some(text)
    }
}

/// Chunks of a body, which are given back as events.
#[derive(Debug, Default)]
pub struct EventBuffer {
    chunks: BytesMut,
    /// The number of bytes that were searched for the end of a line.
    searched: usize,
    /// True if the last line ended with a carriage return, which a line feed may follow.
    after_return: bool,
    /// True once the first line was read, before which a byte order mark may stand.
    begun: bool,
    next: ServerSentEvent<Option<String>>,
}

impl EventBuffer {
    /// Adds a chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.chunks.extend_from_slice(chunk);
    }

    /// Returns the number of bytes that belong to an event whose end is missing.
    pub fn pending(&self) -> usize {
        let ServerSentEvent { event, id, data, .. } = &self.next;
        let fields = [event, id, data].into_iter().flatten();
        self.chunks.len() + fields.map(String::len).sum::<usize>()
    }

    /// The next whole event. One without data is none, by the standard; its `id` and `retry` are those of the next one.
    pub fn next_event(&mut self) -> Option<ServerSentEvent<String>> {
        while let Some(line) = self.next_line() {
            if !line.is_empty() {
                self.field(&line);
            } else if let Some(event) = self.take() {
                return Some(event);
            }
        }
        None
    }

    /// The event at the end of the body, behind which the blank line is missing.
    pub fn last_event(&mut self) -> Option<ServerSentEvent<String>> {
        let line = self.chunks.split();
        self.searched = 0;
        self.field(&line);
        self.take()
    }

    /// The next whole line, without its end: a line feed, a carriage return, or both.
    fn next_line(&mut self) -> Option<BytesMut> {
        if self.after_return && !self.chunks.is_empty() {
            self.after_return = false;
            if self.chunks.starts_with(b"\n") {
                self.chunks.advance(1);
            }
        }
        let rest = self.chunks.get(self.searched..).unwrap_or_default();
        let Some(found) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.searched = self.chunks.len();
            return None;
        };
        let mut line = self.chunks.split_to(self.searched + found);
        self.searched = 0;
        self.after_return = self.chunks.starts_with(b"\r");
        self.chunks.advance(1);
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(BYTE_ORDER_MARK) {
            line.advance(BYTE_ORDER_MARK.len());
        }
        Some(line)
    }

    /// Reads a line. Comments, unknown fields and invalid values are ignored, as the standard has it.
    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = match colon {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => match &mut self.next.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&value);
                }
                None => self.next.data = Some(value.into_owned()),
            },
            b"event" => self.next.event = Some(value.into_owned()).filter(|name| !name.is_empty()),
            b"id" if !value.contains('\0') => self.next.id = Some(value.into_owned()),
            b"retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.next.retry = value.parse().ok().map(Duration::from_millis).or(self.next.retry);
            }
            _ => {}
        }
    }

    /// Ends the event.
    fn take(&mut self) -> Option<ServerSentEvent<String>> {
        match self.next.data.take() {
            Some(data) => {
                let event = std::mem::take(&mut self.next);
                event.try_map(|_| Ok::<_, ()>(data)).ok()
            }
            None => {
                self.next.event = None;
                None
            }
        }
    }
}

/// A duration in milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        let milliseconds = duration.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
        milliseconds.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let milliseconds = Option::<u64>::deserialize(deserializer)?;
        Ok(milliseconds.map(Duration::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, EventBuffer, ServerSentEvent};

    /// The events of a text in chunks of some size.
    fn events(text: &[u8], size: usize) -> Vec<ServerSentEvent<String>> {
        let (mut buffer, mut events) = (EventBuffer::default(), Vec::new());
        for chunk in text.chunks(size) {
            buffer.push(chunk);
            while let Some(event) = buffer.next_event() {
                events.push(event);
            }
        }
        events.extend(buffer.last_event());
        assert_eq!(buffer.pending(), 0);
        events
    }

    fn event(data: &str) -> ServerSentEvent<String> {
        ServerSentEvent::new(data.to_owned())
    }

    #[test]
    fn chunks_may_end_anywhere() {
        let text = "\u{feff}: a comment\n\ndata: é\n\nevent: added\r\nid: 7\r\nretry: 250\r\ndata:{\r\ndata:  1}\r\n\r\n\
                    data\r\rdata:last";
        let added = event("{\n 1}").with_event("added").with_id("7");
        let expected = [
            event("é"),
            added.with_retry(Duration::from_millis(250)),
            event(""),
            event("last"),
        ];
        for size in 1..=text.len() {
            assert_eq!(events(text.as_bytes(), size), expected, "chunks of {size} bytes");
        }
    }

    #[test]
    fn what_the_standard_ignores_is_ignored() {
        let text = b"other: x\nretry: soon\nid: a\0b\nid\nevent: \ndata: 1\n\nevent: lost\n\ndata: 2\n\nid: 3\n\ndata: \xff\n\n";
        let expected = [event("1").with_id(""), event("2"), event("\u{fffd}").with_id("3")];
        assert_eq!(events(text, text.len()), expected);
    }

    #[test]
    fn what_is_written_is_read() {
        let all = event("")
            .with_event("é: ")
            .with_id("")
            .with_retry(Duration::from_millis(7));
        for event in [event(""), event("a\n\n b\n"), event(": x"), all] {
            let text = event.to_text().expect("one line");
            assert_eq!(events(text.as_bytes(), 1), [event]);
        }
        assert_eq!(
            event("a\r\nb\rc").to_text().as_deref(),
            Some("data: a\ndata: b\ndata: c\n\n")
        );
        assert_eq!(event("").with_id("a\nb").to_text(), None);
    }

    #[test]
    fn what_is_pending_is_counted() {
        let mut buffer = EventBuffer::default();
        buffer.push(b"data: 12345\nevent: ab");
        assert_eq!(buffer.next_event(), None);
        assert_eq!(buffer.pending(), 5 + 9);
    }

    #[test]
    fn absent_fields_are_left_out_of_json() {
        let text = serde_json::to_string(&event("a").with_retry(Duration::from_secs(1))).expect("JSON");
        assert_eq!(text, r#"{"retry":1000,"data":"a"}"#);
        let read: ServerSentEvent<String> = serde_json::from_str(&text).expect("an event");
        assert_eq!(read.retry, Some(Duration::from_secs(1)));
    }
}
