//! Checks a JSON value, and collects the violations with their pointers.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::limits::Wrong;
use super::{DateTime, Member, Others, Presence, Rule};
use crate::parameter::Parameter;

/// Maximum number of violations in a response, for long lists of wrong items.
pub(super) const MAX_VIOLATIONS: usize = 100;

/// A violated rule, with the pointer of the violating part of the value.
#[derive(Debug, PartialEq)]
pub(crate) struct Violated {
    pub(crate) pointer: String,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

/// All violations of a value, up to a limit.
pub(crate) fn violations(value: &Value, rule: &Rule) -> Vec<Violated> {
    let mut check = Check::default();
    check.value(value, rule, &Path::Whole);
    check.found
}

/// A step of a JSON pointer.
pub(crate) fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Location of a part. It is formatted only for a violation.
pub(super) enum Path<'p> {
    Whole,
    Item(&'p Self, usize),
    Member(&'p Self, &'p str),
}

impl Path<'_> {
    pub(super) fn pointer(&self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::Item(of, index) => format!("{}/{index}", of.pointer()),
            Self::Member(of, name) => of.pointer() + &step(name),
        }
    }
}

#[derive(Default)]
struct Check {
    found: Vec<Violated>,
    /// Results of checks, by the addresses of value and rule: a part within several unions is checked once.
    known: HashMap<(usize, usize), bool>,
}

impl Check {
    fn note(&mut self, path: &Path<'_>, (code, message): Wrong) {
        if self.found.len() < MAX_VIOLATIONS {
            let pointer = path.pointer();
            self.found.push(Violated { pointer, code, message });
        }
    }

    fn note_if(&mut self, path: &Path<'_>, outcome: Result<(), Wrong>) {
        if let Err(wrong) = outcome {
            self.note(path, wrong);
        }
    }

    fn expected(&mut self, path: &Path<'_>, what: &str) {
        self.note(path, ("malformed", format!("must be {what}")));
    }

    fn value(&mut self, value: &Value, rule: &Rule, path: &Path<'_>) {
        match rule {
            Rule::Any => {}
            Rule::See(rule) | Rule::Aliased(_, rule) => self.value(value, rule, path),
            Rule::Nullable(_) if value.is_null() => {}
            Rule::Nullable(rule) => self.value(value, rule, path),
            Rule::Boolean if value.is_boolean() => {}
            Rule::Boolean => self.expected(path, "true or false"),
            Rule::Text(rule) => match value.as_str() {
                Some(text) => self.note_if(path, rule.check(text)),
                None => self.expected(path, "a text"),
            },
            Rule::File(size) => match length(value) {
                Some(length) => self.note_if(path, size.check(length, "bytes")),
                None => self.expected(path, "a file"),
            },
            Rule::Parsed(read) => match value.as_str().map(read) {
                Some(Ok(())) => {}
                Some(Err(expected)) => self.expected(path, &expected),
                None => self.expected(path, "a text"),
            },
            Rule::DateTime => match value.as_str().map(DateTime::read) {
                Some(Ok(_)) => {}
                Some(Err(expected)) => self.expected(path, &expected),
                None => self.expected(path, "a text"),
            },
            Rule::Choice(texts) => match value.as_str() {
                Some(text) if texts.contains(&text) => {}
                Some(_) => {
                    let message = format!("expected one of {}", texts.join(", "));
                    self.note(path, ("unknown_value", message));
                }
                None => self.expected(path, "a text"),
            },
            Rule::Integer(bounds) => match whole(value) {
                Some(number) => self.note_if(path, bounds.check(number)),
                None => self.expected(path, "a whole number"),
            },
            Rule::Number(bounds) => match value.as_f64() {
                Some(number) => self.note_if(path, bounds.check(number)),
                None => self.expected(path, "a number"),
            },
            Rule::List(items, size) => match value.as_array() {
                Some(list) => {
                    self.note_if(path, size.check(list.len(), "items"));
                    let mut seen = HashSet::new();
                    for (index, item) in list.iter().enumerate() {
                        let path = Path::Item(path, index);
                        if size.unique && !seen.insert(item) {
                            self.note(&path, ("repeated", "must not repeat an item".to_owned()));
                        }
                        self.value(item, items, &path);
                    }
                }
                None => self.expected(path, "a list"),
            },
            Rule::Map(keys, values, size) => match value.as_object() {
                Some(members) => {
                    self.note_if(path, size.check(members.len(), "members"));
                    for (name, member) in members {
                        let path = Path::Member(path, name);
                        if !matches!(keys, Rule::Any) {
                            self.value(&Value::from(name.as_str()), keys, &path);
                        }
                        self.value(member, values, &path);
                    }
                }
                None => self.expected(path, "an object"),
            },
            Rule::Object(members, others, size) => match value.as_object() {
                Some(found) => {
                    self.note_if(path, size.check(found.len(), "members"));
                    self.members(found, members, path);
                    self.others(found, members, others, path);
                }
                None => self.expected(path, "an object"),
            },
            Rule::Tagged(property, choices) => self.tagged(value, property, choices, path),
            Rule::OneOf(choices) => self.one_of(value, choices, path),
            Rule::ExactlyOne(choices) => self.exactly_one(value, choices, path),
        }
    }

    fn members(&mut self, found: &Map<String, Value>, members: &[Member], path: &Path<'_>) {
        for Member(name, presence, rule) in members {
            // One of the same meaning as the member was removed.
            for alias in rule.aliases().iter().filter(|alias| found.contains_key(**alias)) {
                let message = format!("is another name of `{name}`, and their values differ: send one");
                self.note(&Path::Member(path, alias), ("conflicting", message));
            }
            let path = Path::Member(path, name);
            match (found.get(*name), presence) {
                (None, Presence::Required) => self.note(&path, ("missing", "must be given".to_owned())),
                (None, _) | (Some(Value::Null), Presence::OrNull) => {}
                (Some(member), _) => self.value(member, rule, &path),
            }
        }
    }

    fn others(&mut self, found: &Map<String, Value>, members: &[Member], others: &Others, path: &Path<'_>) {
        if matches!(others, Others::Allowed) {
            return;
        }
        let named = |name: &str| {
            let mut members = members.iter();
            members.any(|Member(known, _, rule)| *known == name || rule.aliases().contains(&name))
        };
        for (name, member) in found.iter().filter(|(name, _)| !named(name)) {
            let path = Path::Member(path, name);
            match others {
                Others::Allowed => {}
                Others::Refused => self.note(&path, ("unknown_member", "must not be given".to_owned())),
                Others::Of(rule) => self.value(member, rule, &path),
            }
        }
    }

    fn tagged(&mut self, value: &Value, property: &str, choices: &[(&[&str], Rule)], path: &Path<'_>) {
        let Some(members) = value.as_object() else {
            return self.expected(path, "an object");
        };
        let at = Path::Member(path, property);
        match members.get(property).map(Value::as_str) {
            Some(Some(tag)) => {
                let named = choices.iter().find(|(tags, _)| tags.contains(&tag));
                if let Some((_, rule)) = named {
                    self.value(value, rule, path);
                }
            }
            Some(None) => self.expected(&at, "a text"),
            None => self.note(&at, ("missing", "must be given".to_owned())),
        }
    }

    /// Reports the violations of a value that matches no choice, by the first choice of its kind.
    fn one_of(&mut self, value: &Value, choices: &[Rule], path: &Path<'_>) {
        if choices.iter().any(|rule| self.meets(value, rule)) {
            return;
        }
        match choices.iter().find(|rule| is_of_kind(value, rule)) {
            Some(rule) => self.value(value, rule, path),
            None => self.expected(path, "of one of the forms that the document describes"),
        }
    }

    /// Reports a value of several of the choices: its reader could not distinguish them.
    fn exactly_one(&mut self, value: &Value, choices: &[Rule], path: &Path<'_>) {
        let met = choices.iter().filter(|rule| self.meets(value, rule)).take(2).count();
        if met > 1 {
            let message = "must be of only one of the forms that the document describes".to_owned();
            return self.note(path, ("ambiguous", message));
        }
        self.one_of(value, choices, path);
    }

    fn meets(&mut self, value: &Value, rule: &Rule) -> bool {
        let key = (std::ptr::from_ref(value).addr(), std::ptr::from_ref(rule).addr());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut alone = Self {
            found: Vec::new(),
            known: std::mem::take(&mut self.known),
        };
        alone.value(value, rule, &Path::Whole);
        self.known = alone.known;
        let meets = alone.found.is_empty();
        self.known.insert(key, meets);
        meets
    }
}

/// The length of a file: in a body of several parts, it is stored; elsewhere, the file is a text.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.len()),
        file => usize::try_from(file["length"].as_u64()?).ok(),
    }
}

fn whole(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

/// Returns whether a value is of the kind that a rule is about, and an object has the members that it must have.
fn is_of_kind(value: &Value, rule: &Rule) -> bool {
    match rule {
        Rule::Any => true,
        Rule::Boolean => value.is_boolean(),
        Rule::Text(_) | Rule::Parsed(_) | Rule::DateTime | Rule::Choice(_) => value.is_string(),
        Rule::File(_) => length(value).is_some(),
        Rule::Integer(_) => whole(value).is_some(),
        Rule::Number(_) => value.is_number(),
        Rule::List(..) => value.is_array(),
        Rule::Map(..) | Rule::Tagged(..) => value.is_object(),
        Rule::Object(members, ..) => {
            let needed = |member: &&Member| member.1 == Presence::Required;
            let mut needed = members.iter().filter(needed);
            value.is_object() && needed.all(|Member(name, ..)| value.get(*name).is_some())
        }
        Rule::OneOf(choices) | Rule::ExactlyOne(choices) => choices.iter().any(|rule| is_of_kind(value, rule)),
        Rule::Nullable(rule) => value.is_null() || is_of_kind(value, rule),
        Rule::See(rule) | Rule::Aliased(_, rule) => is_of_kind(value, rule),
    }
}

#[cfg(test)]
mod tests;
