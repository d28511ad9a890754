//! Log of an expansion: added parts, and mistakes of defaults.

use crate::Code;
use crate::source::Report;

/// Key of the defaults at the root.
pub(super) const DEFAULTS: &str = "x-defaults";

/// A mistake of a default, or of a part that repeats one.
pub(crate) struct Mistake {
    code: Code,
    pointer: String,
    message: String,
    help: &'static str,
    /// Pointer of the default that explains it.
    default: Option<String>,
}

impl Mistake {
    /// Adds the mistake to a report on the expanded document.
    pub(crate) fn report(self, report: &mut Report<'_>) {
        match self.default {
            Some(default) => {
                let other = (default.as_str(), "the default");
                report.error_with(self.code, &self.pointer, self.message, self.help, other);
            }
            None => report.error(self.code, &self.pointer, self.message, self.help),
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
    pub(super) fn repeated(&mut self, pointer: &str, default: &str) {
        if self.added.iter().any(|(added, _)| added == pointer) {
            return;
        }
        self.mistakes.push(Mistake {
            code: Code::DefaultRepeated,
            pointer: pointer.to_owned(),
            message: format!("this is the same as its default in `{DEFAULTS}`"),
            help: "remove it: the default is added",
            default: Some(default.to_owned()),
        });
    }

    /// Reports a rule that adds nothing.
    pub(super) fn unused(&mut self, rule: &str, to: &str) {
        self.mistakes.push(Mistake {
            code: Code::DefaultUnused,
            pointer: rule.to_owned(),
            message: format!("this rule adds nothing to any {to}"),
            help: "correct its condition, or remove it",
            default: None,
        });
    }
}
