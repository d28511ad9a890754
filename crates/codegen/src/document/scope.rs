//! Rust names of one scope, and what they were made of.

use std::collections::HashMap;

use crate::Code;
use crate::source::Report;

/// Rust names of one scope, each with what it was made of and where that stands.
pub(super) struct Names {
    what: &'static str,
    taken: HashMap<String, (String, String)>,
}

impl Names {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            taken: HashMap::new(),
        }
    }

    /// Takes a name, that `origin` becomes in Rust; says whether it was free.
    pub(super) fn add(&mut self, name: String, origin: String, at: &str, report: &mut Report<'_>) -> bool {
        if let Some((first, first_at)) = self.taken.get(&name) {
            report.error_with(
                Code::NamesCollide,
                at,
                format!("{first} and {origin} would both become the {} `{name}`", self.what),
                "rename one of them",
                (first_at, "the first one"),
            );
            return false;
        }
        self.taken.insert(name, (origin, at.to_owned()));
        true
    }
}
