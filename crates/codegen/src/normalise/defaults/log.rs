//! Log of an expansion: added parts, and mistakes of defaults.

use std::collections::HashSet;

use crate::Code;
use crate::source::Report;
use crate::suggest;

/// Key of the defaults at the root.
pub(super) const DEFAULTS: &str = "x-defaults";

/// A mistake of a default, or of a part that repeats one.
pub(crate) struct Mistake {
    code: Code,
    pointer: String,
    message: String,
    help: String,
    explanation: Explanation,
}

/// Another part that explains a mistake.
enum Explanation {
    None,
    /// The default that a part repeats.
    Default(String),
    /// The example of a schema that a body repeats.
    Example(String),
    /// A rule whose other mistakes may be the cause.
    Rule(String),
}

impl Mistake {
    /// Adds the mistake to a report on the expanded document.
    pub(crate) fn report(self, report: &mut Report<'_>) {
        match &self.explanation {
            Explanation::Default(other) => {
                let other = (other.as_str(), "the default");
                report.error_with(self.code, &self.pointer, self.message, self.help, other);
            }
            Explanation::Example(other) => {
                let other = (other.as_str(), "the example of the schema");
                report.error_with(self.code, &self.pointer, self.message, self.help, other);
            }
            Explanation::Rule(rule) => {
                report.error(self.code, &self.pointer, self.message, self.help);
                report.unless_rejected(rule);
            }
            Explanation::None => report.error(self.code, &self.pointer, self.message, self.help),
        }
    }
}

/// Added parts, and mistakes.
#[derive(Default)]
pub(super) struct Log {
    /// Pointers of added parts, and those of their defaults.
    pub(super) added: Vec<(String, String)>,
    pub(super) mistakes: Vec<Mistake>,
}

impl Log {
    /// Records an added part, and the default that it is a copy of.
    pub(super) fn add(&mut self, pointer: String, default: String) {
        self.added.push((pointer, default));
    }

    /// Reports a part that is equal to its default, unless another default added it.
    pub(super) fn repeated(&mut self, pointer: &str, default: String) {
        if self.added.iter().any(|(added, _)| added == pointer) {
            return;
        }
        self.mistakes.push(Mistake {
            code: Code::DefaultRepeated,
            pointer: pointer.to_owned(),
            message: format!("this is the same as its default in `{DEFAULTS}`"),
            help: "remove it: the default is added".to_owned(),
            explanation: Explanation::Default(default),
        });
    }

    /// Reports an example of a body that is equal to that of its schema.
    pub(super) fn repeated_example(&mut self, pointer: &str, example: String) {
        self.mistakes.push(Mistake {
            code: Code::DefaultRepeated,
            pointer: pointer.to_owned(),
            message: "this is the same as the first example of the schema".to_owned(),
            help: "remove it: the example of the schema is added".to_owned(),
            explanation: Explanation::Example(example),
        });
    }

    /// Returns the defaults that were added, or are repeated.
    pub(super) fn used(&self) -> HashSet<String> {
        let added = self.added.iter().map(|(_, default)| default);
        let repeated = self.mistakes.iter().filter_map(|mistake| match &mistake.explanation {
            Explanation::Default(default) => Some(default),
            _ => None,
        });
        added.chain(repeated).cloned().collect()
    }

    /// Reports a rule, or a part of one, that is added to nothing.
    pub(super) fn unused(&mut self, part: &str, rule: &str, to: &str) {
        let (message, help) = if part == rule {
            (
                format!("this rule adds nothing to any {to}"),
                "correct its condition, or remove it",
            )
        } else {
            (
                format!("this default is added to no {to}"),
                "correct the condition of its rule, or remove it",
            )
        };
        self.mistakes.push(Mistake {
            code: Code::DefaultUnused,
            pointer: part.to_owned(),
            message,
            help: help.to_owned(),
            explanation: Explanation::Rule(rule.to_owned()),
        });
    }

    /// Reports a value of a condition that holds for nothing, with values to write instead.
    pub(super) fn unmatched(&mut self, pointer: &str, (key, value): (&str, &str), candidates: &[&str], of: &str) {
        let help = match candidates {
            [] => "remove it".to_owned(),
            _ => suggest::advice_or(value, candidates.iter().copied(), "remove it"),
        };
        self.mistakes.push(Mistake {
            code: Code::DefaultCondition,
            pointer: pointer.to_owned(),
            message: format!("`{key}: {value}` holds for no {of}"),
            help,
            explanation: Explanation::None,
        });
    }
}
