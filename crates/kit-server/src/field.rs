//! Conversion of a parameter's text to a value, by the document's rules. Violations are collected.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use wearlab_kit_types::Violation;

use crate::parameter::Parameter;
use crate::schema_rules::{TextRule, Violated, check_nul};

/// The text of a parameter.
pub struct Field<'r> {
    pub at: At<'r>,
    pub text: Option<Cow<'r, str>>,
    /// True if a violation is recorded.
    pub bad: bool,
}

/// Collector of violations.
pub struct At<'r> {
    violations: &'r mut Vec<Violation>,
    place: &'static str,
    name: &'static str,
    /// The pointer of the current part.
    pointer: String,
}

impl<'r> At<'r> {
    /// Location of an item.
    pub fn item(&mut self, index: usize) -> At<'_> {
        At {
            violations: self.violations,
            place: self.place,
            name: self.name,
            pointer: format!("{}/{index}", self.pointer),
        }
    }

    pub fn of(violations: &'r mut Vec<Violation>, place: &'static str, name: &'static str) -> Self {
        Self {
            violations,
            place,
            name,
            pointer: String::new(),
        }
    }

    /// Location of the body, whose parts have names of their own.
    pub fn body(violations: &'r mut Vec<Violation>) -> Self {
        Self {
            violations,
            place: "body",
            name: "",
            pointer: String::new(),
        }
    }

    /// Records a violation in a part.
    pub fn note_part(&mut self, pointer: &str, code: &str, message: impl Into<String>) {
        let location = match self.name {
            "" => format!("/{}{}{pointer}", self.place, self.pointer),
            name => format!("/{}/{name}{}{pointer}", self.place, self.pointer),
        };
        self.violations.push(
            Violation::builder()
                .location(location)
                .code(code)
                .message(message)
                .build(),
        );
    }

    /// Records violations in parts.
    pub(crate) fn note_parts(&mut self, all: Vec<Violated>) {
        for Violated { pointer, code, message } in all {
            self.note_part(&pointer, code, message);
        }
    }

    pub fn note(&mut self, code: &str, message: impl Into<String>) {
        self.note_part("", code, message);
    }
}

impl<'r> Field<'r> {
    /// One item of a list.
    pub fn item(at: At<'r>, text: String) -> Self {
        Self {
            at,
            text: Some(Cow::Owned(text)),
            bad: false,
        }
    }

    pub fn new(
        violations: &'r mut Vec<Violation>,
        place: &'static str,
        name: &'static str,
        text: Result<Option<impl Into<Cow<'r, str>>>, (&'static str, String)>,
    ) -> Self {
        let mut at = At {
            violations,
            place,
            name,
            pointer: String::new(),
        };
        match text {
            Ok(text) => Self {
                at,
                text: text.map(Into::into),
                bad: false,
            },
            Err((code, message)) => {
                at.note(code, message);
                Self {
                    at,
                    text: None,
                    bad: true,
                }
            }
        }
    }

    /// Any text, with limits of its length in characters.
    pub fn text(self, min: Option<u64>, max: Option<u64>) -> Value<'r, String> {
        self.read(|text| {
            let limits = TextRule {
                min,
                max,
                ..TextRule::ANY
            };
            limits.check(text.as_ref()).map(|()| text.into_owned())
        })
    }

    /// A whole number within bounds.
    pub fn integer<T: TryFrom<i64>>(self, min: Option<i64>, max: Option<i64>) -> Value<'r, T> {
        self.read(|text| {
            let range = match (min, max) {
                (Some(min), Some(max)) => format!("from {min} to {max}"),
                (Some(min), None) => format!("of at least {min}"),
                (None, Some(max)) => format!("of at most {max}"),
                (None, None) => "of a size that the service can read".to_owned(),
            };
            let digits = text.strip_prefix('-').unwrap_or(&text);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(("malformed", format!("must be a whole number {range}")));
            }
            let within = |n: &i64| min.is_none_or(|min| *n >= min) && max.is_none_or(|max| *n <= max);
            let number = text
                .parse()
                .ok()
                .filter(within)
                .and_then(|number| T::try_from(number).ok());
            number.ok_or_else(|| ("out_of_range", format!("must be a whole number {range}")))
        })
    }

    /// A value of an enum.
    pub fn choice<T>(self) -> Value<'r, T>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.read(|text| text.parse().map_err(|error| ("unknown_value", format!("{error}"))))
    }

    /// One of the values of an enum that has others, too, where it is read from responses.
    pub fn choice_of<T: FromStr>(self, values: &[&str]) -> Value<'r, T> {
        self.read(|text| {
            let listed = values.contains(&&*text).then(|| text.parse().ok()).flatten();
            listed.ok_or_else(|| ("unknown_value", format!("expected one of {}", values.join(", "))))
        })
    }

    /// A value of any other type.
    pub fn parse<T: Parameter>(self) -> Value<'r, T> {
        self.read(|text| T::read(&text).map_err(|expected| ("malformed", format!("must be {expected}"))))
    }

    fn read<T>(mut self, read: impl FnOnce(Cow<'_, str>) -> Result<T, (&'static str, String)>) -> Value<'r, T> {
        let found = match self.text {
            None if self.bad => Found::Bad,
            None => Found::Nothing,
            Some(text) => match check_nul(&text).and_then(|()| read(text)) {
                Ok(value) => Found::Good(value),
                Err((code, message)) => {
                    self.at.note(code, message);
                    Found::Bad
                }
            },
        };
        Value { at: self.at, found }
    }
}

/// The value of a parameter. Its final methods return none after a violation.
pub struct Value<'r, T> {
    at: At<'r>,
    found: Found<T>,
}

pub enum Found<T> {
    Nothing,
    Bad,
    Good(T),
}

impl<'r, T> Value<'r, T> {
    pub fn new(at: At<'r>, found: Found<T>) -> Self {
        Self { at, found }
    }

    /// The value, if it meets a rule.
    pub fn check(mut self, rule: impl FnOnce(&T) -> Result<(), (&'static str, String)>) -> Self {
        if let Found::Good(value) = &self.found
            && let Err((code, message)) = rule(value)
        {
            self.at.note(code, message);
            self.found = Found::Bad;
        }
        self
    }

    /// The required value.
    pub fn required(mut self) -> Option<T> {
        match self.found {
            Found::Good(value) => Some(value),
            Found::Bad => None,
            Found::Nothing => {
                self.at.note("missing", "must be given");
                None
            }
        }
    }

    /// The value, if there is one.
    pub fn optional(self) -> Option<Option<T>> {
        match self.found {
            Found::Good(value) => Some(Some(value)),
            Found::Bad => None,
            Found::Nothing => Some(None),
        }
    }

    /// The value, or the document's default.
    pub fn or(self, default: T) -> Option<T> {
        self.optional().map(|value| value.unwrap_or(default))
    }
}
