//! The addresses that operations are answered at.

use super::change::Place;
use super::pairs::pairs;
use super::sides::Sides;
use super::{Change, Impact, Kind};
use crate::document::Server;

pub(super) fn compare(sides: &Sides<'_>) -> Vec<Change> {
    let same = |a: &Server, b: &Server| a.variable == b.variable;
    let pairs = pairs(&sides.old.servers, &sides.new.servers, &[&same]);
    pairs
        .into_iter()
        .flat_map(|pair| match pair {
            (None, Some(new)) => vec![
                place(new)
                    .change(Kind::ServerAdded, "the address is new")
                    .impacts(Impact::Additive, Impact::Additive),
            ],
            (Some(old), None) => vec![
                place(old)
                    .change(Kind::ServerRemoved, "the address is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn place(server: &Server) -> Place {
    Place::new(format!("server {}", server.variable), &[&server.variable])
}

fn both(old: &Server, new: &Server) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.default != new.default {
        let what = format!("the default is {}, was {}", new.default, old.default);
        let change = place(new).change(Kind::ServerDefault, what);
        changes.push(
            change
                .impacts(Impact::Breaking, Impact::None)
                .note("the Rust client has no default address; others rely on it"),
        );
    }
    if old.description != new.description {
        changes.push(place(new).change(Kind::Words, "other words: description"));
    }
    changes
}
