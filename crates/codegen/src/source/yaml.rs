//! A YAML 1.2 loader that rejects ambiguous text, and records the location of every value.
//!
//! Anchors are in `anchors.rs`, aliases and merge keys in `aliases.rs`, plain scalars in `scalar.rs`.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Value};

use super::anchors::Anchors;
use super::depth::{MAX_DEPTH, too_deep};
use super::location::{Location, join};
use super::plain;
use crate::Profile;
use crate::diagnostic::{Code, Diagnostic};

/// The value of a file, with the location of each part, and the pointer of the anchor of each copy.
pub(super) struct Loaded {
    pub(super) value: Value,
    pub(super) locations: HashMap<String, Location>,
    pub(super) copies: HashMap<String, String>,
    /// Notes on values that the tolerant profile read by YAML 1.2.
    pub(super) notes: Vec<Diagnostic>,
}

/// Reads one document. Reading continues after most mistakes, so there may be several.
pub(super) fn load(text: &str, base: usize, profile: Profile) -> Result<Loaded, Vec<Diagnostic>> {
    let mut options = Options::default();
    // An alias without an anchor is one mistake among others.
    options.emit_unresolved_aliases = true;
    let mut loader = Loader {
        parser: Parser::new_from_str_with_options(text, options),
        base,
        locations: HashMap::new(),
        anchors: Anchors::default(),
        mistakes: Vec::new(),
        notes: Vec::new(),
        profile,
        depth: 0,
    };
    let value = loader.document();
    match value {
        Ok(value) if loader.mistakes.is_empty() => Ok(Loaded {
            value,
            locations: loader.locations,
            copies: loader.anchors.copies,
            notes: loader.notes,
        }),
        Ok(_) => Err(loader.mistakes),
        Err(fatal) => {
            loader.mistakes.push(fatal);
            Err(loader.mistakes)
        }
    }
}

pub(super) struct Loader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// The offset of the text's first byte.
    base: usize,
    pub(super) locations: HashMap<String, Location>,
    pub(super) anchors: Anchors,
    pub(super) mistakes: Vec<Diagnostic>,
    pub(super) notes: Vec<Diagnostic>,
    pub(super) profile: Profile,
    pub(super) depth: usize,
}

impl<'t> Loader<'t> {
    fn document(&mut self) -> Result<Value, Diagnostic> {
        let mut value = None;
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd, _) => {}
                (Event::StreamEnd, _) => return Ok(value.unwrap_or(Value::Null)),
                (_, span) if value.is_some() => {
                    return Err(Diagnostic::new(
                        Code::SeveralDocuments,
                        self.range(span),
                        "the file has a second document",
                        "keep one document per file",
                    ));
                }
                (event, span) => value = Some(self.node(event, span, None, String::new())?),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'t>, Span), Diagnostic> {
        loop {
            match self.parser.next_event() {
                Some(Ok((Event::Comment(..), _))) => {}
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => {
                    let at = self.base + error.marker().byte_offset().unwrap_or(0);
                    return Err(match error.kind() {
                        ErrorKind::RecursionLimitExceeded => too_deep(at..at),
                        ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
                            let help = "remove the control character, or write it as an escape in double quotes";
                            Diagnostic::new(Code::NotYaml, at..at, format!("not YAML: {}", error.info()), help)
                        }
                        _ => not_yaml(at..at, &error.info()),
                    });
                }
                None => return Ok((Event::StreamEnd, Span::default())),
            }
        }
    }

    fn node(
        &mut self,
        event: Event<'t>,
        span: Span,
        key: Option<Range<usize>>,
        pointer: String,
    ) -> Result<Value, Diagnostic> {
        let mut location = self.range(span);
        if self.depth > MAX_DEPTH {
            return Err(too_deep(location));
        }
        self.depth += 1;
        self.reject_tag(&event, &location);
        let anchor = anchor(&event);
        let value = match event {
            Event::Scalar(text, style, ..) => self.scalar(text, style, &location),
            Event::SequenceStart(..) => {
                let (items, end) = self.sequence(&pointer)?;
                location.end = end;
                Value::Array(items)
            }
            Event::MappingStart(..) => {
                let (members, end) = self.mapping(&pointer)?;
                location.end = end;
                Value::Object(members)
            }
            Event::Alias(id) => self.alias(id, &pointer, &location)?,
            Event::UnresolvedAlias(name) => self.no_anchor(&name, &location),
            other => {
                return Err(not_yaml(location, &format!("unexpected {other:?}")));
            }
        };
        self.depth -= 1;
        if let Some(id) = anchor {
            self.anchors.define(id, &value, &pointer);
        }
        self.locations.insert(pointer, Location { key, value: location });
        Ok(value)
    }

    fn sequence(&mut self, pointer: &str) -> Result<(Vec<Value>, usize), Diagnostic> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, self.range(span).end)),
                (event, span) => {
                    let item = format!("{pointer}/{}", items.len());
                    items.push(self.node(event, span, None, item)?);
                }
            }
        }
    }

    fn mapping(&mut self, pointer: &str) -> Result<(Map<String, Value>, usize), Diagnostic> {
        let mut members = Map::new();
        loop {
            let (event, span) = self.next()?;
            let location = self.range(span);
            self.reject_tag(&event, &location);
            if let Some(id) = anchor(&event)
                && let Event::Scalar(key, ..) = &event
            {
                self.anchors.define(id, &Value::from(key.as_ref()), pointer);
            }
            match event {
                Event::MappingEnd => return Ok((members, location.end)),
                Event::Scalar(key, ScalarStyle::Plain, ..) if key == "<<" => {
                    let (event, span) = self.next()?;
                    let member = join(pointer, &key);
                    let value = self.node(event, span, Some(location.clone()), member)?;
                    self.merge(value, &mut members, pointer, &location);
                }
                Event::Scalar(key, style, ..) => {
                    if style == ScalarStyle::Plain && !plain::is_key(&key) {
                        self.ambiguous_key(&key, &location);
                    }
                    let member = join(pointer, &key);
                    let first = self.locations.get(&member).and_then(|p| p.key.clone());
                    let first = first.filter(|_| !self.anchors.replace(&member));
                    let (event, span) = self.next()?;
                    // The parts of a second value are not duplicates of those of the first.
                    let member = match first {
                        Some(_) => format!("{member}#{}", location.start),
                        None => member,
                    };
                    let value = self.node(event, span, Some(location.clone()), member)?;
                    if let Some(first) = first {
                        self.mistakes.push(
                            Diagnostic::new(
                                Code::DuplicateKey,
                                location,
                                format!("duplicate key `{key}`"),
                                "remove one of the two",
                            )
                            .related(first, "first defined here"),
                        );
                    }
                    members.insert(key.into_owned(), value);
                }
                _ => {
                    return Err(Diagnostic::new(
                        Code::KeyNoString,
                        location,
                        "a key must be a plain or quoted string",
                        "quote it, and quote any value that begins with `{`, `[`, `*` or `&`",
                    ));
                }
            }
        }
    }

    fn reject_tag(&mut self, event: &Event<'_>, location: &Range<usize>) {
        let (Event::Scalar(_, _, _, tag) | Event::SequenceStart(_, _, tag) | Event::MappingStart(_, _, tag)) = event
        else {
            return;
        };
        if tag.is_some() {
            self.mistakes.push(Diagnostic::new(
                Code::YamlTag,
                location.clone(),
                "a tag is not allowed in the document",
                "remove it; quote the value if it is a string",
            ));
        }
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = span.start.byte_offset().unwrap_or(0);
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        self.base + start..self.base + end
    }
}

/// The anchor of a node, if it has one.
fn anchor(event: &Event<'_>) -> Option<usize> {
    let (Event::Scalar(_, _, id, _) | Event::SequenceStart(_, id, _) | Event::MappingStart(_, id, _)) = event else {
        return None;
    };
    (*id > 0).then_some(*id)
}

fn not_yaml(location: Range<usize>, why: &str) -> Diagnostic {
    Diagnostic::new(
        Code::NotYaml,
        location,
        format!("not YAML: {why}"),
        match why {
            _ if why.contains("mapping values are not allowed") => {
                "quote the text if it holds `: `; if not, check the indentation of this line and the one above"
            }
            _ if why.contains("tabs") => "indent with spaces",
            _ => "check the indentation and quotes of this line and the one above",
        },
    )
}
