//! Scalars of YAML, and ambiguous ones.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::plain;
use super::yaml::Loader;
use crate::diagnostic::{Code, Diagnostic};

impl Loader<'_> {
    pub(super) fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, location: &Range<usize>) -> Value {
        if style != ScalarStyle::Plain {
            return Value::String(text.into_owned());
        }
        plain::value(&text).unwrap_or_else(|| {
            let diagnostic = Diagnostic::new(
                Code::AmbiguousValue,
                location.clone(),
                format!("`{text}` means different things to YAML 1.1 and 1.2"),
                format!("write `\"{text}\"` for the text, or `true`, `false`, `null`, or a plain decimal number"),
            );
            match plain::value_of_1_2(&text) {
                Some(value) => {
                    self.ambiguous(diagnostic);
                    value
                }
                None => {
                    self.mistakes.push(diagnostic);
                    Value::Null
                }
            }
        })
    }

    pub(super) fn ambiguous_key(&mut self, key: &str, location: &Range<usize>) {
        self.ambiguous(Diagnostic::new(
            Code::AmbiguousKey,
            location.clone(),
            format!("YAML parsers read the key `{key}` differently"),
            format!("write `\"{key}\"`"),
        ));
    }

    /// A mistake of the strict profile; the tolerant one reads a document as YAML 1.2, which OpenAPI recommends.
    fn ambiguous(&mut self, diagnostic: Diagnostic) {
        if self.profile.is_strict() {
            self.mistakes.push(diagnostic);
        } else {
            self.notes.push(Diagnostic {
                help: "it is read as YAML 1.2 has it".to_owned(),
                ..diagnostic
            });
        }
    }
}
