//! Parses the values of parameters.

use std::error::Error;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser, ValueParser};
use clap::{Arg, Command};
use regex::Regex;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// Parses a `T`. The `values` of an enum are shown and completed; others are accepted if `T` accepts them.
pub fn typed<T>(values: &'static [&'static str]) -> ValueParser
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    let of = PhantomData::<fn() -> T>;
    ValueParser::new(Typed { values, of })
}

/// Parses a text that must match a pattern. The error does not repeat the text.
pub fn matching(pattern: &'static str, shown: &'static str) -> ValueParser {
    ValueParser::new(move |text: &str| {
        // The generator compiled it, too: it is valid.
        match Regex::new(pattern) {
            Ok(regex) if !regex.is_match(text) => Err(format!("must match {shown}")),
            _ => Ok(text.to_owned()),
        }
    })
}

/// Parses a `T` that is written as JSON. The error does not repeat the text.
pub fn json<T>(_values: &'static [&'static str]) -> ValueParser
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    ValueParser::new(|text: &str| {
        let mut json = serde_json::Deserializer::from_str(text);
        let value: T = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            match error.inner().classify() {
                Category::Data => format!("{path}: the value does not fit"),
                _ => "this is not valid JSON".to_owned(),
            }
        })?;
        json.end().map_err(|_| "this is not valid JSON".to_owned())?;
        Ok::<_, String>(value)
    })
}

struct Typed<T> {
    values: &'static [&'static str],
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Typed<T> {
    fn clone(&self) -> Self {
        let Self { values, of } = *self;
        Self { values, of }
    }
}

impl<T> TypedValueParser for Typed<T>
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        TypedValueParser::parse_ref(&T::from_str, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = self.values.iter().copied().map(PossibleValue::new);
        (!self.values.is_empty()).then(|| Box::new(values) as Box<_>)
    }
}
