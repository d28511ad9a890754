//! Links files: moves path items to their references in the root, and other parts to `components`.
//!
//! After that, every reference is within the document. Each moved part keeps its location, for messages.

mod follow;
mod order;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::location::join;
use super::origin::Origin;
use super::{Part, Source};
use crate::Input;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

/// Links the root with the files that it refers to.
pub(super) fn link(source: &mut Source<'_>, input: &Input<'_>) -> Result<(), Diagnostics> {
    if !is_needed(Part::Document, &source.value) {
        return Ok(());
    }
    let mut root = source.value.clone();
    let (directory, name) = input
        .file
        .rsplit_once('/')
        .map_or(("", input.file), |(directory, name)| {
            (&input.file[..directory.len() + 1], name)
        });
    let mut linker = Linker {
        values: vec![std::mem::take(&mut source.value)],
        source,
        input,
        directory,
        names: vec![name.to_owned()],
        unread: HashSet::new(),
        components: HashMap::new(),
        taken: HashMap::new(),
        used: HashSet::new(),
        queue: Vec::new(),
        moved: Vec::new(),
        mistakes: Vec::new(),
    };
    linker.aliases(&root);
    linker.part(Part::Document, &Origin::root(""), "", &mut root);
    while let Some(mut component) = linker.queue.pop() {
        let at = format!(
            "/components/{}/{}",
            component.section,
            super::location::step(&component.name)
        );
        linker.part(component.part, &component.origin.clone(), &at, &mut component.value);
        linker.moved.push(component);
    }
    // With another mistake, it may be the missing reference to them.
    if linker.mistakes.is_empty() && input.profile.is_strict() {
        linker.unreferenced();
    }
    linker.finish(root)
}

/// Returns whether anything refers to another file, or is a path item elsewhere.
fn is_needed(part: Part, value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str);
            let elsewhere = |target: &str| !target.starts_with('#') || part == Part::PathItem;
            part.section().is_some() && target.is_some_and(elsewhere)
                || part == Part::Components && members.contains_key("pathItems")
                || members
                    .iter()
                    .map(|(key, member)| (part.member(key), member))
                    .any(|(part, member)| part != Part::Data && is_needed(part, member))
        }
        Value::Array(items) => items.iter().any(|item| is_needed(part.member(""), item)),
        _ => false,
    }
}

struct Linker<'l, 'a> {
    source: &'l mut Source<'a>,
    input: &'l Input<'l>,
    /// The directory of the root, in the names of files in messages.
    directory: &'l str,
    /// The files that were read, relative to that directory, and their values.
    names: Vec<String>,
    values: Vec<Value>,
    /// Files with mistakes, which cause no further diagnostics.
    unread: HashSet<usize>,
    /// The names of the components that stand in other files.
    components: HashMap<(&'static str, Origin), String>,
    taken: HashMap<(&'static str, String), Origin>,
    /// Targets of references.
    used: HashSet<Origin>,
    queue: Vec<Component>,
    moved: Vec<Component>,
    mistakes: Vec<Diagnostic>,
}

/// A component of another file.
struct Component {
    section: &'static str,
    part: Part,
    name: String,
    origin: Origin,
    value: Value,
}

impl Linker<'_, '_> {
    /// Rewrites the references of a part, which stands at `at` in its file and at `new` in the document.
    fn part(&mut self, part: Part, at: &Origin, new: &str, value: &mut Value) {
        if let (Some(section), Some(target)) = (part.section(), value["$ref"].as_str()) {
            let target = target.to_owned();
            if part == Part::PathItem {
                return self.path_item(at, new, value);
            }
            if let Some(origin) = self.own_alias(section, at, value) {
                *value = self.value(&origin).clone();
                self.source.moved(new.to_owned(), origin.clone());
                return self.part(part, &origin, new, value);
            }
            if let Some(rewritten) = self.reference(part, section, at, &target) {
                value["$ref"] = Value::String(rewritten);
            }
        }
        match value {
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    let part = part.member(key);
                    if part != Part::Data {
                        self.part(part, &at.below(key), &join(new, key), member);
                    } else if key == "discriminator" {
                        self.discriminator(&at.below(key), member);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let index = index.to_string();
                    self.part(part.member(&index), &at.below(&index), &join(new, &index), item);
                }
            }
            _ => {}
        }
    }

    /// Replaces a path item that is a reference by its target.
    fn path_item(&mut self, at: &Origin, new: &str, value: &mut Value) {
        let own = value.as_object().into_iter().flatten();
        let own: Vec<_> = own
            .filter(|(key, _)| *key != "$ref")
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if let Some((key, _)) = own.first()
            && self.input.profile.is_strict()
        {
            let span = self.source.span_of(&at.below(key));
            let message = format!("`{key}` beside `$ref` has no effect on a path");
            let help = "remove it, or move it to the target of `$ref`";
            return self
                .mistakes
                .push(Diagnostic::new(Code::KeyBesideReference, span, message, help));
        }
        let Some(origin) = self.follow(at, value) else { return };
        *value = self.value(&origin).clone();
        if self.used.contains(&origin) && self.ancestors_hold(&origin, at) {
            return;
        }
        self.source.moved(new.to_owned(), origin.clone());
        self.used.insert(origin.clone());
        self.part(Part::PathItem, &origin, new, value);
        // Members beside the reference replace those of its target.
        for (key, mut member) in own {
            let (at, new) = (at.below(&key), join(new, &key));
            self.part(Part::PathItem.member(&key), &at, &new, &mut member);
            self.source.moved(new, at);
            if let Some(members) = value.as_object_mut() {
                members.insert(key, member);
            }
        }
    }

    /// Returns whether a path item holds the reference to it, in a callback.
    fn ancestors_hold(&self, origin: &Origin, at: &Origin) -> bool {
        origin.file == at.file && at.pointer.starts_with(&format!("{}/", origin.pointer))
    }

    /// The reference to write instead, if it differs.
    fn reference(&mut self, part: Part, section: &'static str, at: &Origin, target: &str) -> Option<String> {
        if at.file == 0 && target.starts_with('#') || !self.reads_files() {
            return None;
        }
        let origin = self.follow(at, &serde_json::json!({ "$ref": target }))?;
        if origin.file == 0 {
            return Some(format!("#{}", origin.pointer));
        }
        let name = self.component(part, section, at, origin)?;
        Some(format!("#/components/{section}/{}", super::location::step(&name)))
    }

    /// The name of a component that stands in another file.
    fn component(&mut self, part: Part, section: &'static str, at: &Origin, origin: Origin) -> Option<String> {
        let key = (section, origin);
        if let Some(name) = self.components.get(&key) {
            return Some(name.clone());
        }
        let origin = key.1.clone();
        let mut name = self.name_of(&origin);
        if let Some(other) = self.holder(section, &name) {
            if self.input.profile.is_strict() {
                let span = self.source.value_span_of(&at.below("$ref"));
                let message = format!("two components would be named `{name}` in `components.{section}`");
                let help = "rename one of them, and the references to it";
                let other = self.source.span_of(&other);
                let mistake = Diagnostic::new(Code::ComponentTwice, span, message, help);
                self.mistakes.push(mistake.related(other, "the other one"));
                return None;
            }
            let free = (2..).map(|number| format!("{name}{number}"));
            name = free.into_iter().find(|name| self.holder(section, name).is_none())?;
        }
        self.used.insert(origin.clone());
        self.taken.insert((section, name.clone()), origin.clone());
        self.components.insert(key, name.clone());
        self.source
            .moved(join(&format!("/components/{section}"), &name), origin.clone());
        let value = self.value(&origin).clone();
        self.queue.push(Component {
            section,
            part: part.target(),
            name: name.clone(),
            origin,
            value,
        });
        Some(name)
    }

    /// The references of a discriminator to schemas of other files.
    fn discriminator(&mut self, at: &Origin, value: &mut Value) {
        let at = at.below("mapping");
        let mapping = value.get_mut("mapping").and_then(Value::as_object_mut);
        for (key, target) in mapping.into_iter().flatten() {
            let Some(text) = target.as_str().map(str::to_owned) else {
                continue;
            };
            // Anything else is the name of a schema.
            if !text.contains(['#', '/']) && !text.ends_with(".yaml") && !text.ends_with(".json") {
                continue;
            }
            if let Some(rewritten) = self.reference(Part::Schema, "schemas", &at.below(key), &text) {
                *target = Value::String(rewritten);
            }
        }
    }
}
