//! Limits of texts, numbers and sizes, and the messages of their violations. Messages do not repeat the value.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{LazyLock, PoisonError, RwLock};

use regex::Regex;

/// The code and message of a violation.
pub(super) type Wrong = (&'static str, String);

/// The limits of a text.
#[derive(Clone, Copy)]
pub struct TextRule {
    /// Minimum length in characters.
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// A regular expression that is found in the text.
    pub pattern: Option<&'static str>,
}

impl TextRule {
    pub const ANY: Self = Self {
        min: None,
        max: None,
        pattern: None,
    };

    pub fn check(&self, text: &str) -> Result<(), Wrong> {
        let length = text.chars().count() as u64;
        match (self.min, self.max) {
            (Some(min), _) if length < min => {
                return Err((
                    "too_short",
                    format!("must have at least {}", counted(min, "characters")),
                ));
            }
            (_, Some(max)) if length > max => {
                return Err(("too_long", format!("must have at most {}", counted(max, "characters"))));
            }
            _ => {}
        }
        match self.pattern {
            Some(pattern) if !matches(pattern, text) => Err(("malformed", format!("must match {pattern}"))),
            _ => Ok(()),
        }
    }
}

/// Returns whether a pattern of the document is found in a text. Each is compiled once.
fn matches(pattern: &'static str, text: &str) -> bool {
    static COMPILED: LazyLock<RwLock<HashMap<&'static str, Option<Regex>>>> = LazyLock::new(RwLock::default);
    // The generator compiled it, too: it is valid.
    let found = |regex: &Option<Regex>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    let compiled = COMPILED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = compiled.get(pattern) {
        return found(regex);
    }
    drop(compiled);
    let regex = Regex::new(pattern).ok();
    let found = found(&regex);
    let mut compiled = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
    compiled.insert(pattern, regex);
    found
}

/// The limits of a number.
#[derive(Clone, Copy)]
pub struct Bounds<T> {
    pub min: Option<T>,
    pub max: Option<T>,
    /// Exclusive lower bound.
    pub above: Option<T>,
    /// Exclusive upper bound.
    pub below: Option<T>,
    pub multiple_of: Option<T>,
}

impl<T> Bounds<T> {
    pub const ANY: Self = Self {
        min: None,
        max: None,
        above: None,
        below: None,
        multiple_of: None,
    };
}

impl Bounds<i128> {
    pub fn check(&self, number: i128) -> Result<(), Wrong> {
        self.within(number, "whole number", |number, of| number % of == 0)
    }
}

impl Bounds<f64> {
    pub fn check(&self, number: f64) -> Result<(), Wrong> {
        self.within(number, "number", |number, of| {
            // At the precision of 64 bits.
            let quotient = number / of;
            (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
        })
    }
}

impl<T: Copy + PartialOrd + Display> Bounds<T> {
    fn within(&self, number: T, noun: &str, is_multiple: impl Fn(T, T) -> bool) -> Result<(), Wrong> {
        let inside = self.min.is_none_or(|min| number >= min)
            && self.max.is_none_or(|max| number <= max)
            && self.above.is_none_or(|above| number > above)
            && self.below.is_none_or(|below| number < below);
        if !inside {
            return Err(("out_of_range", format!("must be a {noun} {}", self.range())));
        }
        match self.multiple_of {
            Some(of) if !is_multiple(number, of) => Err(("not_a_multiple", format!("must be a multiple of {of}"))),
            _ => Ok(()),
        }
    }

    fn range(&self) -> String {
        if let Self {
            min: Some(min),
            max: Some(max),
            above: None,
            below: None,
            ..
        } = self
        {
            return format!("from {min} to {max}");
        }
        let rules = [
            ("of at least", self.min),
            ("above", self.above),
            ("of at most", self.max),
            ("below", self.below),
        ];
        let rules = rules
            .into_iter()
            .filter_map(|(rule, bound)| Some(format!("{rule} {}", bound?)));
        rules.collect::<Vec<_>>().join(" and ")
    }
}

/// The limits of a list or of an object.
#[derive(Clone, Copy)]
pub struct Size {
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// True if all items differ.
    pub unique: bool,
}

impl Size {
    pub const ANY: Self = Self {
        min: None,
        max: None,
        unique: false,
    };

    pub fn check(&self, count: usize, noun: &str) -> Result<(), Wrong> {
        let count = count as u64;
        match (self.min, self.max) {
            (Some(min), _) if count < min => Err(("too_few", format!("must have at least {}", counted(min, noun)))),
            (_, Some(max)) if count > max => Err(("too_many", format!("must have at most {}", counted(max, noun)))),
            _ => Ok(()),
        }
    }
}

/// Formats a count: `1 item`, `2 items`.
fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('s')) {
        (1, Some(one)) => format!("1 {one}"),
        _ => format!("{count} {noun}"),
    }
}
