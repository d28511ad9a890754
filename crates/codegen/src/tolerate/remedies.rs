//! Selects and applies the smallest change that makes a part of the document valid.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::alone::ALONE;
use super::declare;
use super::nearest::nearest;
use super::path::{steps as steps_to, unmerged};
use super::put::{put, set_any};
use super::references::collect;
use super::remedy::Remedy;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{METHODS, Part, Source, join, key_of, order, place};

/// Parts that were left out so far.
#[derive(Default)]
pub(super) struct Remedies {
    pub(super) notes: Vec<Diagnostic>,
    /// Numbers of omitted operations by reason.
    pub(super) reasons: BTreeMap<&'static str, usize>,
    /// Numbers of other omitted parts, by code.
    pub(super) ignored: BTreeMap<&'static str, usize>,
    /// Schemas that became any value, and parts that were replaced.
    any: HashSet<String>,
    /// Removed components, with the reason.
    gone: HashMap<String, Code>,
}

impl Remedies {
    /// Changes the document to remove these mistakes; returns whether anything changed.
    pub(super) fn apply(&mut self, source: &mut Source<'_>, mistakes: Vec<(String, Diagnostic)>, whole: bool) -> bool {
        let mut remedies: Vec<(Remedy, Diagnostic)> = Vec::new();
        let mut known = HashSet::new();
        for (pointer, diagnostic) in mistakes {
            let part = unmerged(&source.value, &pointer);
            let declare = match diagnostic.code {
                Code::PathParameterUndeclared => declare::path(&source.value, &pointer).map(Remedy::Declare),
                // The extension of another vendor, or one that does not fit the operation.
                Code::PagingParameter => pointer
                    .strip_suffix("/parameters")
                    .map(|operation| Remedy::Ignore(join(operation, "x-pagination"))),
                _ => None,
            };
            let nearest = |at: &str| nearest(&source.value, at, &diagnostic, &self.any).filter(|_| !whole);
            let remedy = declare.or_else(|| nearest(&pointer)).or_else(|| nearest(&part));
            let remedy = remedy.or_else(|| self.remedy(&source.value, &part, whole));
            if let Some(remedy) = remedy.filter(|remedy| known.insert(remedy.clone())) {
                remedies.push((remedy, diagnostic));
            }
        }
        // From the end, so that a removal does not move later parts.
        remedies.sort_by_cached_key(|(remedy, _)| Reverse(order(remedy.pointer())));
        let mut changed = false;
        for (remedy, diagnostic) in remedies {
            changed |= self.perform(source, remedy, &diagnostic);
        }
        changed | self.references(source)
    }

    /// Leaves out webhooks: the runtime of events supports the payloads of our own document.
    pub(super) fn without_webhooks(&mut self, source: &mut Source<'_>) {
        let webhooks = source.value.get("webhooks").and_then(Value::as_object);
        for key in webhooks.into_iter().flat_map(|all| all.keys()) {
            let span = source.span(&join("/webhooks", key));
            let message = "events are supported in the strict profile alone";
            let note = Diagnostic::new(Code::WebhookProfile, span, message, "it is left out");
            *self.ignored.entry(note.code.as_str()).or_default() += 1;
            self.notes.push(note);
        }
        source.remove("/webhooks");
    }

    fn perform(&mut self, source: &mut Source<'_>, remedy: Remedy, diagnostic: &Diagnostic) -> bool {
        let code = diagnostic.code;
        let part = place(&source.value, remedy.pointer());
        let (changed, consequence) = match &remedy {
            Remedy::Ignore(at) => {
                let consequence = omitted(&source.value, at).to_owned();
                (source.remove(at), consequence)
            }
            Remedy::Any(at) => {
                // If it is already any value, the mistake belongs to another part in the next round.
                let first = self.any.insert(at.clone());
                let changed = set_any(&mut source.value, at) || first;
                (changed, "the value is read as any JSON".to_owned())
            }
            Remedy::LeaveOut(at) => return self.leave_out(source, at, diagnostic),
            Remedy::Declare(at) => (declare::declare(source, at), "it is declared as a string".to_owned()),
            Remedy::Component(at) => {
                self.gone.insert(at.clone(), code);
                (source.remove(at), "it is left out, with what needs it".to_owned())
            }
            Remedy::Set(at, value, consequence) => {
                self.any.insert(at.clone());
                (put(&mut source.value, at, value.clone()), (*consequence).to_owned())
            }
        };
        if changed {
            *self.ignored.entry(code.as_str()).or_default() += 1;
            self.note(diagnostic, part, consequence);
        }
        changed
    }

    fn leave_out(&mut self, source: &mut Source<'_>, at: &str, diagnostic: &Diagnostic) -> bool {
        let consequence = match at.matches('/').count() {
            3 => "the operation is left out",
            _ => "its operations are left out",
        };
        self.note(diagnostic, place(&source.value, at), consequence.to_owned());
        self.without(source, at, diagnostic.code)
    }

    /// Removes an operation, a webhook or a path.
    fn without(&mut self, source: &mut Source<'_>, at: &str, code: Code) -> bool {
        let Some(value) = source.value.pointer(at) else {
            return false;
        };
        let is_path = at.starts_with("/paths/");
        let count = match at.matches('/').count() {
            _ if !is_path => 0,
            2 => methods(value),
            _ => 1,
        };
        *self.reasons.entry(code.as_str()).or_default() += count;
        let removed = source.remove(at);
        // A path without operations has no effect.
        if let Some((item, _)) = at.rsplit_once('/')
            && is_path
            && item.matches('/').count() == 2
            && source.value.pointer(item).is_some_and(|value| methods(value) == 0)
        {
            source.remove(item);
        }
        removed
    }

    fn note(&mut self, diagnostic: &Diagnostic, part: String, consequence: String) {
        self.notes.push(Diagnostic {
            help: consequence,
            part,
            related: Vec::new(),
            ..diagnostic.clone()
        });
    }

    /// Returns the remedy of a mistake at `pointer`. With `whole`, no schema is changed any more.
    fn remedy(&self, root: &Value, pointer: &str, whole: bool) -> Option<Remedy> {
        let (mut part, mut at, mut value) = (Part::Document, String::new(), root);
        let mut schema = None;
        let mut owner = None;
        for step in pointer.split('/').skip(1) {
            let key = key_of(step);
            let here = join(&at, &key);
            let each = matches!(part, Part::Each(_));
            let list = value.is_array();
            let alone = ALONE.contains(&key.as_str()) || key.starts_with("x-") && !key.starts_with("x-tag");
            // A part in another place cannot be removed here.
            if !each && !list && alone && value.get(&key).is_some() {
                return Some(Remedy::Ignore(here));
            }
            if part == Part::Document && !["paths", "webhooks", "components", "info", "tags"].contains(&key.as_str()) {
                return Some(Remedy::Ignore(here));
            }
            let inner = part.member(&key);
            match (part, inner) {
                // An error response.
                (Part::Each(Part::Response), _) if !key.starts_with('2') && at.starts_with("/paths/") => {
                    return Some(Remedy::Ignore(here));
                }
                _ => {}
            }
            value = match value {
                Value::Array(items) => key
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index))
                    .unwrap_or(&Value::Null),
                value => value.get(&key).unwrap_or(&Value::Null),
            };
            if inner == Part::Parameter && value["required"] != true && value["in"] != "path" && value.is_object() {
                let own = !at.starts_with("/components");
                if own {
                    return Some(Remedy::Ignore(here));
                }
            }
            if inner == Part::Schema && value.is_object() && !self.any.contains(&here) {
                // Of a composition, the whole is the value.
                let choice = ["oneOf", "anyOf", "allOf"]
                    .iter()
                    .any(|key| at.ends_with(&format!("/{key}")));
                if !choice {
                    schema = Some(here.clone());
                }
            }
            let depth = here.matches('/').count();
            owner = match (part, inner) {
                (Part::PathItem, Part::Operation) if value.is_object() && here.starts_with("/paths/") => {
                    Some(Remedy::LeaveOut(here.clone()))
                }
                (Part::Each(Part::PathItem), _) => Some(Remedy::LeaveOut(here.clone())),
                (Part::Each(_), _) if here.starts_with("/components/") && depth == 3 => {
                    Some(Remedy::Component(here.clone()))
                }
                _ => owner,
            };
            (part, at) = (inner, here);
        }
        match schema {
            // Parameters are texts, which any value is not.
            Some(schema) if !whole && !in_parameter(&schema) => Some(Remedy::Any(schema)),
            _ => owner,
        }
    }

    /// Removes references to removed components.
    fn references(&mut self, source: &mut Source<'_>) -> bool {
        let mut changed = false;
        loop {
            let mut found = Vec::new();
            collect(&source.value, Part::Document, "", &self.gone, &mut found);
            found.sort_by_cached_key(|(pointer, _)| Reverse(order(pointer)));
            let mut further = false;
            for (pointer, code) in found {
                further |= match self.remedy(&source.value, &pointer, false) {
                    Some(Remedy::Ignore(at)) => source.remove(&at),
                    Some(Remedy::Any(at)) => set_any(&mut source.value, &at),
                    Some(Remedy::LeaveOut(at)) => self.without(source, &at, code),
                    Some(Remedy::Component(at)) => {
                        self.gone.insert(at.clone(), code);
                        source.remove(&at)
                    }
                    Some(Remedy::Declare(_) | Remedy::Set(..)) | None => false,
                };
            }
            if !further {
                return changed;
            }
            changed = true;
        }
    }
}

/// Description of the removal of an optional part.
fn omitted(root: &Value, at: &str) -> &'static str {
    let steps = steps_to(root, at);
    match steps.as_slice() {
        [.., last] if last.part == Part::Parameter => "the parameter is left out",
        [.., last] if last.part == Part::Header => "the header is left out",
        [.., last] if last.part == Part::Response => "the response is left out",
        [.., last] if last.part == Part::RequestBody => "the body is left out",
        [.., list, _] if list.key == "security" => "this alternative of credentials is left out",
        [.., response, last] if response.part == Part::Response && last.key == "content" => "its body is left out",
        _ => "it is ignored",
    }
}

/// Returns the number of operations of a path item.
fn methods(item: &Value) -> usize {
    let keys = item.as_object().into_iter().flat_map(|item| item.keys());
    keys.filter(|key| METHODS.contains(&key.as_str())).count()
}

fn in_parameter(pointer: &str) -> bool {
    let mut steps = pointer.split('/').skip(1);
    match (steps.next(), steps.next()) {
        (Some("components"), Some("parameters" | "headers")) => true,
        (Some("paths"), _) => pointer.contains("/parameters/") && !pointer.contains("/responses/"),
        _ => false,
    }
}
