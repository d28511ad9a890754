//! A YAML 1.2 loader that rejects what parsers read differently, and records the location of every value.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Value};

use super::location::{Location, join};
use super::plain;
use crate::diagnostic::{Code, Diagnostic};

/// The deepest nesting: several times deeper than in any hand-written document.
const DEEPEST: usize = 128;

type Loaded = (Value, HashMap<String, Location>);

/// Reads one document. Reading continues after most mistakes, so there may be several.
pub(super) fn load(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let mut options = Options::default();
    // Aliases are rejected as aliases, with or without their anchor.
    options.emit_unresolved_aliases = true;
    let mut loader = Loader {
        parser: Parser::new_from_str_with_options(text, options),
        locations: HashMap::new(),
        mistakes: Vec::new(),
        depth: 0,
    };
    let value = loader.document();
    match value {
        Ok(value) if loader.mistakes.is_empty() => Ok((value, loader.locations)),
        Ok(_) => Err(loader.mistakes),
        Err(fatal) => {
            loader.mistakes.push(fatal);
            Err(loader.mistakes)
        }
    }
}

struct Loader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    locations: HashMap<String, Location>,
    mistakes: Vec<Diagnostic>,
    depth: usize,
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
                        range(span),
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
                    let at = error.marker().byte_offset().unwrap_or(0);
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
        let mut location = range(span);
        if self.depth > DEEPEST {
            return Err(too_deep(location));
        }
        self.depth += 1;
        self.reject_anchor_and_tag(&event, &location);
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
            Event::Alias(..) | Event::UnresolvedAlias(..) => {
                self.reject(Code::Alias, &location, "an alias", "write the value out, or use `$ref`");
                Value::Null
            }
            other => {
                return Err(not_yaml(location, &format!("unexpected {other:?}")));
            }
        };
        self.depth -= 1;
        self.locations.insert(pointer, Location { key, value: location });
        Ok(value)
    }

    fn sequence(&mut self, pointer: &str) -> Result<(Vec<Value>, usize), Diagnostic> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, span) => return Ok((items, range(span).end)),
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
            let location = range(span);
            self.reject_anchor_and_tag(&event, &location);
            match event {
                Event::MappingEnd => return Ok((members, location.end)),
                Event::Scalar(key, style, ..) => {
                    if style == ScalarStyle::Plain && key == "<<" {
                        self.reject(
                            Code::MergeKey,
                            &location,
                            "a merge key",
                            "merge keys are not part of YAML 1.2: write the members out",
                        );
                    }
                    if style == ScalarStyle::Plain && !plain::is_key(&key) {
                        self.mistakes.push(Diagnostic::new(
                            Code::AmbiguousKey,
                            location.clone(),
                            format!("YAML parsers read the key `{key}` differently"),
                            format!("write `\"{key}\"`"),
                        ));
                    }
                    let member = join(pointer, &key);
                    let first = self.locations.get(&member).and_then(|p| p.key.clone());
                    let (event, span) = self.next()?;
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

    fn reject_anchor_and_tag(&mut self, event: &Event<'_>, location: &Range<usize>) {
        let (anchor, tag) = match event {
            Event::Scalar(_, _, id, tag) => (*id > 0, tag.is_some()),
            Event::SequenceStart(_, id, tag) | Event::MappingStart(_, id, tag) => (*id > 0, tag.is_some()),
            _ => (false, false),
        };
        if anchor {
            self.reject(
                Code::Anchor,
                location,
                "an anchor",
                "write the value out, or use `$ref`",
            );
        }
        if tag {
            self.reject(
                Code::YamlTag,
                location,
                "a tag",
                "remove it; quote the value if it is a string",
            );
        }
    }

    fn reject(&mut self, code: Code, location: &Range<usize>, what: &str, help: &str) {
        let message = format!("{what} is not allowed in the document");
        self.mistakes
            .push(Diagnostic::new(code, location.clone(), message, help));
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, location: &Range<usize>) -> Value {
        if style != ScalarStyle::Plain {
            return Value::String(text.into_owned());
        }
        plain::value(&text).unwrap_or_else(|| {
            self.mistakes.push(Diagnostic::new(
                Code::AmbiguousValue,
                location.clone(),
                format!("`{text}` means different things to YAML 1.1 and 1.2"),
                format!("write `\"{text}\"` for the text, or `true`, `false`, `null`, or a plain decimal number"),
            ));
            Value::Null
        })
    }
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

fn too_deep(location: Range<usize>) -> Diagnostic {
    let message = format!("nesting is deeper than {DEEPEST} levels");
    Diagnostic::new(
        Code::TooDeep,
        location,
        message,
        "move the inner values to `components`",
    )
}

fn range(span: Span) -> Range<usize> {
    let start = span.start.byte_offset().unwrap_or(0);
    start..span.end.byte_offset().unwrap_or(start).max(start)
}
