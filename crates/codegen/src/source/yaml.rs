//! A YAML 1.2 loader that refuses what readers take differently, and notes the place of every value.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Number, Value};

use super::{Place, join};
use crate::diagnostic::{Code, Diagnostic};

/// How deep values may stand in one another: several times deeper than in any document that people wrote.
const DEEPEST: usize = 128;

type Loaded = (Value, HashMap<String, Place>);

/// Reads one document. A mistake ends the reading of what it is part of, so there may be several.
pub(super) fn load(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let mut options = Options::default();
    // Aliases are refused as what they are, with or without their anchor.
    options.emit_unresolved_aliases = true;
    let mut loader = Loader {
        parser: Parser::new_from_str_with_options(text, options),
        places: HashMap::new(),
        mistakes: Vec::new(),
        depth: 0,
    };
    let value = loader.document();
    match value {
        Ok(value) if loader.mistakes.is_empty() => Ok((value, loader.places)),
        Ok(_) => Err(loader.mistakes),
        Err(fatal) => {
            loader.mistakes.push(fatal);
            Err(loader.mistakes)
        }
    }
}

struct Loader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    places: HashMap<String, Place>,
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
                        "a second document in the same file",
                        "keep one document a file",
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
        let mut place = range(span);
        if self.depth > DEEPEST {
            return Err(too_deep(place));
        }
        self.depth += 1;
        self.refuse_anchor_and_tag(&event, &place);
        let value = match event {
            Event::Scalar(text, style, ..) => self.scalar(text, style, &place),
            Event::SequenceStart(..) => {
                let (items, end) = self.sequence(&pointer)?;
                place.end = end;
                Value::Array(items)
            }
            Event::MappingStart(..) => {
                let (members, end) = self.mapping(&pointer)?;
                place.end = end;
                Value::Object(members)
            }
            Event::Alias(..) | Event::UnresolvedAlias(..) => {
                self.refuse(Code::Alias, &place, "an alias", "write the value out, or use `$ref`");
                Value::Null
            }
            other => {
                return Err(not_yaml(place, &format!("unexpected {other:?}")));
            }
        };
        self.depth -= 1;
        self.places.insert(pointer, Place { key, value: place });
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
            let place = range(span);
            self.refuse_anchor_and_tag(&event, &place);
            match event {
                Event::MappingEnd => return Ok((members, place.end)),
                Event::Scalar(key, style, ..) => {
                    if style == ScalarStyle::Plain && key == "<<" {
                        self.refuse(
                            Code::MergeKey,
                            &place,
                            "a merge key",
                            "merge keys are not YAML 1.2: write the members out",
                        );
                    }
                    if style == ScalarStyle::Plain
                        && (is_ambiguous(&key) || matches!(&*key, "" | "~" | "null" | "true" | "false"))
                    {
                        self.mistakes.push(Diagnostic::new(
                            Code::AmbiguousKey,
                            place.clone(),
                            format!("readers of YAML take the key `{key}` differently"),
                            format!("write `\"{key}\"`"),
                        ));
                    }
                    let member = join(pointer, &key);
                    let first = self.places.get(&member).and_then(|p| p.key.clone());
                    let (event, span) = self.next()?;
                    let value = self.node(event, span, Some(place.clone()), member)?;
                    if let Some(first) = first {
                        self.mistakes.push(
                            Diagnostic::new(
                                Code::DuplicateKey,
                                place,
                                format!("the key `{key}` stands here twice"),
                                "remove one of the two",
                            )
                            .related(first, "first here"),
                        );
                    }
                    members.insert(key.into_owned(), value);
                }
                _ => {
                    return Err(Diagnostic::new(
                        Code::KeyNoString,
                        place,
                        "a key must be a plain or quoted string",
                        "quote it; a value that begins with `{`, `[`, `*` or `&` is quoted too",
                    ));
                }
            }
        }
    }

    fn refuse_anchor_and_tag(&mut self, event: &Event<'_>, place: &Range<usize>) {
        let (anchor, tag) = match event {
            Event::Scalar(_, _, id, tag) => (*id > 0, tag.is_some()),
            Event::SequenceStart(_, id, tag) | Event::MappingStart(_, id, tag) => (*id > 0, tag.is_some()),
            _ => (false, false),
        };
        if anchor {
            self.refuse(Code::Anchor, place, "an anchor", "write the value out, or use `$ref`");
        }
        if tag {
            self.refuse(
                Code::YamlTag,
                place,
                "a tag",
                "remove it; quote the value if it is a string",
            );
        }
    }

    fn refuse(&mut self, code: Code, place: &Range<usize>, what: &str, help: &str) {
        let message = format!("{what} is not allowed in the document");
        self.mistakes.push(Diagnostic::new(code, place.clone(), message, help));
    }

    /// The core schema of YAML 1.2, less what YAML 1.1 readers take for something else.
    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, place: &Range<usize>) -> Value {
        if style != ScalarStyle::Plain {
            return Value::String(text.into_owned());
        }
        match &*text {
            "" | "~" | "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word if is_ambiguous(word) => {
                self.mistakes.push(Diagnostic::new(
                    Code::AmbiguousValue,
                    place.clone(),
                    format!("`{word}` means different things to YAML 1.1 and 1.2"),
                    format!("write `\"{word}\"` for the text, or `true`, `false`, `null`, or a plain decimal number"),
                ));
                Value::Null
            }
            word => number(word).unwrap_or_else(|| Value::String(word.to_owned())),
        }
    }
}

fn not_yaml(place: Range<usize>, why: &str) -> Diagnostic {
    Diagnostic::new(
        Code::NotYaml,
        place,
        format!("not YAML: {why}"),
        "check the indentation and quotes of this line and the one above",
    )
}

const AMBIGUOUS: [&str; 22] = [
    "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N", "True", "TRUE",
    "False", "FALSE", "Null", "NULL",
];

/// Whether readers take a plain scalar differently: YAML 1.1 has more booleans, and numbers with bases, underscores and
/// colons.
fn is_ambiguous(word: &str) -> bool {
    if AMBIGUOUS.contains(&word) {
        return true;
    }
    let digits = word.trim_start_matches(['+', '-']);
    let prefixed = |prefix: &str, radix| {
        let rest = digits.strip_prefix(prefix).map(|rest| rest.replace('_', ""));
        rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    let number =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| "0123456789_.".contains(c));
    let padded = digits.len() > 1 && digits.starts_with('0') && digits.chars().all(|c| c.is_ascii_digit() || c == '_');
    let colons = digits.contains(':') && digits.split(':').all(number);
    let underscores = digits.contains('_') && number(digits);
    let not_finite = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(&digits);
    prefixed("0x", 16) || prefixed("0o", 8) || prefixed("0b", 2) || padded || colons || underscores || not_finite
}

fn number(word: &str) -> Option<Value> {
    if let Ok(integer) = word.parse::<i64>() {
        return Some(integer.into());
    }
    if !word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    word.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

fn too_deep(place: Range<usize>) -> Diagnostic {
    let message = format!("more than {DEEPEST} values stand in one another here");
    Diagnostic::new(Code::TooDeep, place, message, "name the inner ones in `components`")
}

fn range(span: Span) -> Range<usize> {
    let start = span.start.byte_offset().unwrap_or(0);
    start..span.end.byte_offset().unwrap_or(start).max(start)
}
