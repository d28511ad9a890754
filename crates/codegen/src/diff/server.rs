//! The servers of the document.

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::{Change, Impact, Kind};
use crate::document::Server;

pub(super) fn compare(context: &Context<'_>) -> Vec<Change> {
    let same = |a: &Server, b: &Server| a.variable == b.variable;
    let pairs = pairs(&context.old.servers, &context.new.servers, &[&same]);
    pairs
        .into_iter()
        .flat_map(|pair| match pair {
            (None, Some(new)) => vec![
                element(new)
                    .change(Kind::ServerAdded, "the server is new")
                    .impacts(Impact::Additive, Impact::Additive),
            ],
            (Some(old), None) => vec![
                element(old)
                    .change(Kind::ServerRemoved, "the server is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn element(server: &Server) -> Element {
    Element::new(format!("server {}", server.variable), &[&server.variable])
}

fn both(old: &Server, new: &Server) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.default != new.default {
        let what = format!("the default is {}, was {}", new.default, old.default);
        let change = element(new).change(Kind::ServerDefault, what);
        changes.push(
            change
                .impacts(Impact::Breaking, Impact::None)
                .note("the Rust client has no default URL; other clients may rely on it"),
        );
    }
    if old.description != new.description {
        changes.push(element(new).change(Kind::Documentation, "documentation changed: description"));
    }
    changes
}
