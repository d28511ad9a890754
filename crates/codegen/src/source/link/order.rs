//! Names and order of the components of other files, and unreferenced parts of those.

use serde_json::{Map, Value};

use super::Linker;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Origin, SWAGGER_SECTIONS, join, key_of};

impl Linker<'_, '_> {
    /// Gives the components of the root that only refer to another file their own names.
    pub(super) fn aliases(&mut self, root: &Value) {
        for section in SECTIONS {
            for (name, value) in root["components"][section].as_object().into_iter().flatten() {
                let at = Origin::root(&join(&format!("/components/{section}"), name));
                let external = value["$ref"].as_str().is_some_and(|target| !target.starts_with('#'));
                if !external || !self.reads_files() {
                    continue;
                }
                // Its mistake is reported once.
                if let Some(origin) = self.follow(&at, value)
                    && origin.file > 0
                    && !self.components.contains_key(&(section, origin.clone()))
                {
                    self.taken.insert((section, name.clone()), origin.clone());
                    self.used.insert(origin.clone());
                    self.components.insert((section, origin), name.clone());
                }
            }
        }
    }

    /// The part of another file whose name is that of the component of the root at `at`.
    pub(super) fn own_alias(&self, section: &'static str, at: &Origin, value: &Value) -> Option<Origin> {
        let name = at.pointer.strip_prefix("/components/")?.strip_prefix(section)?;
        let name = name.strip_prefix('/').filter(|name| !name.contains('/'))?;
        let name = key_of(name);
        let origin = self.taken.get(&(section, name)).filter(|_| at.file == 0)?;
        value.as_object().filter(|all| all.len() == 1)?;
        Some(origin.clone())
    }

    /// Location of another component of this name.
    pub(super) fn holder(&self, section: &'static str, name: &str) -> Option<Origin> {
        let known = self.taken.get(&(section, name.to_owned()));
        let of_swagger = SWAGGER_SECTIONS.iter().filter(|(_, place)| *place == section);
        let mut places = std::iter::once(format!("/components/{section}"))
            .chain(of_swagger.map(|(old, _)| format!("/{old}")))
            .map(|place| join(&place, name));
        let own = places.find(|place| self.values[0].pointer(place).is_some());
        let own = own.map(|place| Origin::root(&place));
        known.cloned().or(own)
    }

    /// The name of a component: its key, or the name of its file.
    pub(super) fn name_of(&self, origin: &Origin) -> String {
        match origin.pointer.rsplit_once('/') {
            Some((_, key)) => key_of(key),
            None => {
                let file = self.names[origin.file].rsplit('/').next().unwrap_or_default();
                file.split('.').next().unwrap_or_default().to_owned()
            }
        }
    }

    /// Rejects unreferenced paths, webhooks and components of other files: their author expected them to
    /// count.
    pub(super) fn unreferenced(&mut self) {
        for file in 0..self.values.len() {
            let mut sections = vec!["/components/pathItems".to_owned()];
            if file > 0 {
                sections.extend(["/paths".to_owned(), "/webhooks".to_owned()]);
                sections.extend(SECTIONS.map(|section| format!("/components/{section}")));
            }
            for section in sections {
                let members = self.values[file].pointer(&section).and_then(Value::as_object);
                for key in members.into_iter().flat_map(|all| all.keys()) {
                    let origin = Origin {
                        file,
                        pointer: join(&section, key),
                    };
                    if !self.used.contains(&origin) {
                        let message = format!("nothing refers to `{key}`, so it is not in the document");
                        let target = format!("{}#{}", self.names[file], origin.pointer);
                        let help = format!("refer to it, such as by `$ref: \"{target}\"`, or remove it");
                        let span = self.source.span_of(&origin);
                        self.mistakes
                            .push(Diagnostic::new(Code::Unreferenced, span, message, help));
                    }
                }
            }
        }
    }

    /// The linked document: the components of other files come after those of the root, in the order of their files.
    pub(super) fn finish(mut self, mut root: Value) -> Result<(), Diagnostics> {
        if !self.mistakes.is_empty() {
            self.mistakes.append(&mut self.source.mistakes);
            return Err(Diagnostics::new(&self.source.files, self.mistakes));
        }
        self.moved
            .sort_by_cached_key(|component| self.source.span_of(&component.origin).start);
        if let Some(root) = root.as_object_mut() {
            if let Some(components) = root.get_mut("components").and_then(Value::as_object_mut) {
                // Each was put in the place of the references to it.
                components.shift_remove("pathItems");
            }
            for component in self.moved {
                let components = root.entry("components").or_insert_with(|| Value::Object(Map::new()));
                let Some(components) = components.as_object_mut() else {
                    continue;
                };
                let section = components
                    .entry(component.section)
                    .or_insert_with(|| Value::Object(Map::new()));
                if let Some(section) = section.as_object_mut() {
                    section.insert(component.name, component.value);
                }
            }
        }
        self.source.value = root;
        Ok(())
    }
}

/// The sections of `components`.
const SECTIONS: [&str; 9] = [
    "schemas",
    "responses",
    "parameters",
    "examples",
    "requestBodies",
    "headers",
    "securitySchemes",
    "links",
    "callbacks",
];
