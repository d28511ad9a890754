//! The Rust names of one scope, with their origins.

use std::collections::HashMap;

use crate::Code;
use crate::source::Report;

/// The Rust names of one scope, each with its origin in the document.
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

    /// Adds a name, which `origin` becomes in Rust; returns whether it was free.
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

/// A name in a message.
pub(super) fn quoted(name: &str) -> String {
    format!("`{name}`")
}
