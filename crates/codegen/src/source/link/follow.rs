//! Follows references through files.

use std::borrow::Cow;

use serde_json::Value;

use super::Linker;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Origin;
use crate::source::target::{self, Outside};
use crate::suggest;

/// The longest chain of references.
const MAX_REFERENCES: usize = 32;

impl Linker<'_, '_> {
    /// Returns whether the caller gave a way to read files.
    pub(super) fn reads_files(&self) -> bool {
        self.input.files.is_some()
    }

    pub(super) fn value(&self, origin: &Origin) -> &Value {
        self.values[origin.file]
            .pointer(&origin.pointer)
            .unwrap_or(&Value::Null)
    }

    /// The final target of the reference at `at`. Reports its mistakes.
    pub(super) fn follow(&mut self, at: &Origin, value: &Value) -> Option<Origin> {
        let mut target = value["$ref"].as_str()?.to_owned();
        let mut holder = at.file;
        for _ in 0..MAX_REFERENCES {
            let found = match target::read(&target, &self.names[holder]) {
                Ok(found) => found,
                Err(outside) => return self.outside(at, &target, &outside),
            };
            let file = match &found.file {
                Some(name) if !self.reads_files() => {
                    let message = format!("cannot read `{name}`: this document has only one file");
                    let help = "write the path item here".to_owned();
                    return self.mistake(Code::ReferenceFile, at, message, help);
                }
                Some(name) => self.open(name, at)?,
                None => holder,
            };
            let origin = Origin {
                file,
                pointer: found.pointer,
            };
            if self.unread.contains(&file) {
                return None;
            }
            let Some(value) = self.values[file].pointer(&origin.pointer) else {
                return self.missing(at, &target, &origin);
            };
            let next = value["$ref"].as_str();
            // A component of the root is referred to by its name, whatever it is.
            let named =
                file == 0 && origin.pointer.starts_with("/components/") && !origin.pointer.contains("/pathItems/");
            match next.filter(|_| !named && value.as_object().is_some_and(|all| all.len() == 1)) {
                Some(next) => target = next.to_owned(),
                None => return Some(origin),
            }
            self.used.insert(origin);
            holder = file;
        }
        let message = format!("`{target}` refers to itself");
        self.mistake(
            Code::ReferenceCircular,
            at,
            message,
            "define it without `$ref`".to_owned(),
        )
    }

    /// Reads a file, once.
    fn open(&mut self, name: &str, at: &Origin) -> Option<usize> {
        if let Some(known) = self.names.iter().position(|known| known == name) {
            return Some(known);
        }
        let text = match self.input.files?(name) {
            Ok(text) => text,
            Err(why) => {
                let message = format!("cannot read `{}{name}`: {why}", self.directory);
                let help = "write the name of a file, relative to the one that holds this reference";
                return self.mistake(Code::ReferenceFile, at, message, help.to_owned());
            }
        };
        self.names.push(name.to_owned());
        let number = self.names.len() - 1;
        match self.source.read(&format!("{}{name}", self.directory), Cow::Owned(text)) {
            Ok(value) => self.values.push(value),
            Err(mistakes) => {
                self.mistakes.extend(mistakes);
                self.unread.insert(number);
                self.values.push(Value::Null);
            }
        }
        Some(number)
    }

    fn outside<T>(&mut self, at: &Origin, target: &str, outside: &Outside) -> Option<T> {
        let (code, message, help) = match outside {
            Outside::Url => (
                Code::ReferenceDirectory,
                format!("`{target}` is a URL: only files beside the root are read"),
                "copy the file, and refer to the copy",
            ),
            Outside::Directory => (
                Code::ReferenceDirectory,
                format!("`{target}` is not below the directory of `{}`", self.input.file),
                "move the file below that directory, and write its relative path with `/`",
            ),
            Outside::Fragment => (
                Code::ReferenceMissing,
                format!("`{target}` does not end with a JSON pointer"),
                "write a pointer that begins with `/` after `#`",
            ),
        };
        self.mistake(code, at, message, help.to_owned())
    }

    fn missing<T>(&mut self, at: &Origin, target: &str, origin: &Origin) -> Option<T> {
        let (parent, name) = origin.pointer.rsplit_once('/').unwrap_or_default();
        let members = self.values[origin.file].pointer(parent).and_then(Value::as_object);
        let keys: Vec<_> = members.into_iter().flat_map(|all| all.keys()).cloned().collect();
        let help = suggest::advice(name, keys.iter().map(String::as_str));
        self.mistake(Code::ReferenceMissing, at, format!("`{target}` does not exist"), help)
    }

    /// Reports a mistake of the reference at `at`. In the tolerant profile, the reference stays: a later pass leaves it out.
    fn mistake<T>(&mut self, code: Code, at: &Origin, message: String, help: String) -> Option<T> {
        if !self.input.profile.is_strict() {
            return None;
        }
        // The reference of a discriminator is the value itself.
        let reference = at.below("$ref");
        let known = self.source.locations[at.file].contains_key(&reference.pointer);
        let span = self.source.value_span_of(if known { &reference } else { at });
        self.mistakes.push(Diagnostic::new(code, span, message, help));
        None
    }
}
