//! A loader of JSON, which records the location of every value: faster than that of YAML, and with all of its characters.
//!
//! It has no messages: unreadable text is passed to the loader of YAML, which reports the reason.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::{Map, Value};

use super::depth::MAX_DEPTH;
use super::location::{Location, join};

/// Reads one document, unless it is not JSON, has a key twice, or is nested too deeply.
pub(super) fn load(text: &str, base: usize) -> Option<(Value, HashMap<String, Location>)> {
    let mut loader = Loader {
        text,
        base,
        at: 0,
        depth: 0,
        locations: HashMap::new(),
    };
    loader.space();
    if loader.peek()? != b'{' {
        return None;
    }
    let value = loader.value(None, String::new())?;
    loader.space();
    (loader.at == text.len()).then_some((value, loader.locations))
}

struct Loader<'t> {
    text: &'t str,
    base: usize,
    at: usize,
    depth: usize,
    locations: HashMap<String, Location>,
}

impl<'t> Loader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes a character, and the space before it.
    fn pass(&mut self, wanted: u8) -> Option<()> {
        self.space();
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn value(&mut self, key: Option<Range<usize>>, pointer: String) -> Option<Value> {
        self.space();
        let start = self.at;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = match self.peek()? {
            b'{' => self.object(&pointer)?,
            b'[' => self.array(&pointer)?,
            b'"' => Value::String(self.string()?),
            _ => {
                let rest = &self.text[start..];
                let end = rest.find([',', '}', ']', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
                self.at += end;
                serde_json::from_str(&rest[..end]).ok()?
            }
        };
        self.depth -= 1;
        let value_span = self.base + start..self.base + self.at;
        self.locations.insert(pointer, Location { key, value: value_span });
        Some(value)
    }

    fn string(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?.strip_prefix('"')?;
        let mut escaped = false;
        let end = rest.bytes().position(|byte| {
            let end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            end
        })?;
        let whole = &self.text[self.at..self.at + end + 2];
        self.at += whole.len();
        serde_json::from_str(whole).ok()
    }

    fn object(&mut self, pointer: &str) -> Option<Value> {
        let mut members = Map::new();
        self.pass(b'{')?;
        if self.pass(b'}').is_some() {
            return Some(Value::Object(members));
        }
        loop {
            self.space();
            let start = self.at;
            let key = self.string()?;
            let span = self.base + start..self.base + self.at;
            self.pass(b':')?;
            let value = self.value(Some(span), join(pointer, &key))?;
            if members.insert(key, value).is_some() {
                return None;
            }
            if self.pass(b',').is_none() {
                return self.pass(b'}').map(|()| Value::Object(members));
            }
        }
    }

    fn array(&mut self, pointer: &str) -> Option<Value> {
        let mut items = Vec::new();
        self.pass(b'[')?;
        if self.pass(b']').is_some() {
            return Some(Value::Array(items));
        }
        loop {
            items.push(self.value(None, format!("{pointer}/{}", items.len()))?);
            if self.pass(b',').is_none() {
                return self.pass(b']').map(|()| Value::Array(items));
            }
        }
    }
}
