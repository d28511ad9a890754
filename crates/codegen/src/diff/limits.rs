//! Limits of values, at any depth of a type. Servers enforce those of requests; those of responses are not enforced.

use std::fmt::Display;

use super::change::{Direction, Element};
use super::{Change, Impact, Kind};
use crate::document::{Members, NumberLimits, Schema, SchemaKind, SizeLimits, TextLimits, Type, Union};

/// The changes of the limits of a type that is otherwise the same.
pub(super) fn compare(element: &Element, direction: Direction, subject: &str, old: &Type, new: &Type) -> Vec<Change> {
    let mut limits = Limits { found: Vec::new() };
    limits.types(subject, old, new);
    limits.changes(element, direction)
}

/// The changes of the number of members of an object, and of their kind.
pub(super) fn object(element: &Element, direction: Direction, old: &Schema, new: &Schema) -> Vec<Change> {
    let mut limits = Limits { found: Vec::new() };
    limits.size("the object", " members", &old.size, &new.size);
    let refused =
        |schema: &Schema| matches!(&schema.kind, SchemaKind::Object { members, .. } if *members == Members::Refused);
    if refused(old) != refused(new) {
        let what = match refused(new) {
            true => "undeclared members are rejected",
            false => "undeclared members are no longer rejected",
        };
        limits.found.push((refused(new), what.to_owned()));
    }
    if let (SchemaKind::Object { members: before, .. }, SchemaKind::Object { members: after, .. }) =
        (&old.kind, &new.kind)
        && let (Some(before), Some(after)) = (before.typed(), after.typed())
    {
        limits.types("an undeclared member", before, after);
    }
    limits.changes(element, direction)
}

/// Returns whether a value of several types of a union is rejected.
pub(super) fn union(element: &Element, direction: Direction, old: &Union, new: &Union) -> Vec<Change> {
    // A change of the discriminator is reported as such.
    if old.discriminator.is_some() || new.discriminator.is_some() {
        return Vec::new();
    }
    let what = match (old.exclusive, new.exclusive) {
        (false, true) => "a value of several of its types is rejected",
        (true, false) => "a value of several of its types is no longer rejected",
        _ => return Vec::new(),
    };
    let limits = Limits {
        found: vec![(new.exclusive, what.to_owned())],
    };
    limits.changes(element, direction)
}

/// Result of a comparison, with its texts.
struct Limits {
    found: Vec<(bool, String)>,
}

impl Limits {
    fn changes(self, element: &Element, direction: Direction) -> Vec<Change> {
        let change = |(tighter, what)| {
            let kind = if tighter {
                Kind::BoundTightened
            } else {
                Kind::BoundLoosened
            };
            let change = element.change(kind, what);
            match (direction, tighter) {
                (Direction::ToServers, true) => change.impacts(Impact::Breaking, Impact::None),
                (Direction::ToServers, false) => {
                    let note = "implementers receive values that were rejected before";
                    change.impacts(Impact::Additive, Impact::None).note(note)
                }
                // Readers accept any value, but may rely on the limit.
                (Direction::ToClients, false) => {
                    let note = "clients receive values that were not sent before";
                    change.impacts(Impact::Breaking, Impact::None).note(note)
                }
                (Direction::ToClients, true) => change.impacts(Impact::None, Impact::Additive),
                (Direction::Both, _) => change.impacts(Impact::Breaking, Impact::None),
            }
        };
        self.found.into_iter().map(change).collect()
    }

    fn types(&mut self, subject: &str, old: &Type, new: &Type) {
        match (old, new) {
            (Type::Nullable(old), new) => self.types(subject, old, new),
            (old, Type::Nullable(new)) => self.types(subject, old, new),
            (Type::String(old), Type::String(new)) | (Type::Secret(old), Type::Secret(new)) => {
                self.text(subject, old, new);
            }
            (Type::Integer(_, old), Type::Integer(_, new)) => self.number(subject, old, new, |of, by| of % by == 0),
            (Type::Number(old), Type::Number(new)) => self.number(subject, old, new, |of, by| of % by == 0.0),
            (Type::Open(old), Type::Open(new)) => self.size(subject, " members", old, new),
            (Type::File(old), Type::File(new)) => self.size(subject, " bytes", old, new),
            (Type::Array(items, old), Type::Array(others, new)) => {
                self.size(subject, " items", old, new);
                if old.unique != new.unique {
                    let what = if new.unique {
                        "may no longer repeat"
                    } else {
                        "may repeat"
                    };
                    self.found.push((new.unique, format!("{subject} {what} an item")));
                }
                self.types(&format!("an item of {subject}"), items, others);
            }
            (
                Type::Map { values, size: old, .. },
                Type::Map {
                    values: others,
                    size: new,
                    ..
                },
            ) => {
                self.size(subject, " members", old, new);
                self.types(&format!("a value of {subject}"), values, others);
            }
            _ => {}
        }
    }

    fn text(&mut self, subject: &str, old: &TextLimits, new: &TextLimits) {
        self.end(subject, "at least", " characters", (old.min, new.min), |old, new| {
            new > old
        });
        self.end(subject, "at most", " characters", (old.max, new.max), |old, new| {
            new < old
        });
        let rules = [
            ("a text that matches", &old.pattern, &new.pattern),
            ("only", &old.only, &new.only),
        ];
        for (word, old, new) in rules {
            // It is undecidable here whether another pattern accepts less.
            let text = |rule: &Option<String>| {
                rule.as_deref()
                    .map_or("any text".to_owned(), |rule| format!("{word} {rule}"))
            };
            if old != new {
                let what = format!("{subject} accepts {}, was {}", text(new), text(old));
                self.found.push((new.is_some(), what));
            }
        }
    }

    fn number<T: Copy + PartialOrd + Display>(
        &mut self,
        subject: &str,
        old: &NumberLimits<T>,
        new: &NumberLimits<T>,
        divides: fn(T, T) -> bool,
    ) {
        self.end(subject, "at least", "", (old.min, new.min), |old, new| new > old);
        self.end(subject, "more than", "", (old.above, new.above), |old, new| new > old);
        self.end(subject, "at most", "", (old.max, new.max), |old, new| new < old);
        self.end(subject, "less than", "", (old.below, new.below), |old, new| new < old);
        self.end(
            subject,
            "multiples of",
            "",
            (old.multiple_of, new.multiple_of),
            |old, new| !divides(old, new),
        );
    }

    fn size(&mut self, subject: &str, unit: &str, old: &SizeLimits, new: &SizeLimits) {
        self.end(subject, "at least", unit, (old.min, new.min), |old, new| new > old);
        self.end(subject, "at most", unit, (old.max, new.max), |old, new| new < old);
    }

    fn end<T: Copy + PartialEq + Display>(
        &mut self,
        subject: &str,
        word: &str,
        unit: &str,
        ends: (Option<T>, Option<T>),
        beyond: impl Fn(T, T) -> bool,
    ) {
        let (tighter, what) = match ends {
            (Some(old), Some(new)) if old != new => (
                beyond(old, new),
                format!("{subject} accepts {word} {new}{unit}, was {old}{unit}"),
            ),
            (None, Some(new)) => (true, format!("{subject} accepts {word} {new}{unit}, was anything")),
            (Some(old), None) => (
                false,
                format!("{subject} no longer has a bound, accepted {word} {old}{unit}"),
            ),
            _ => return,
        };
        self.found.push((tighter, what));
    }
}
