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
                help(self.what),
                (first_at, "the first one"),
            );
            return false;
        }
        self.taken.insert(name, (origin, at.to_owned()));
        true
    }
}

/// Names of the wire cannot change, those in Rust can.
fn help(what: &str) -> &'static str {
    match what {
        "field" | "parameter" | "type" | "call" => "give one of them another name by `x-rust-name`",
        "variant" => "name one of them in `x-rust-names` of the enum, or by `x-rust-name` of the choice",
        _ => "rename one of them",
    }
}

/// A name in a message.
pub(super) fn quoted(name: &str) -> String {
    format!("`{name}`")
}
