//! Parses the text of all files.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::yaml::{self, Loaded};
use super::{Source, file_tag, json, link, overlay};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::files::Files;
use crate::{Input, Profile};

impl<'a> Source<'a> {
    /// Parses YAML 1.2, of which JSON is a subset, and the files that the root refers to. Applies the overlays.
    pub(crate) fn parse(input: &Input<'a>) -> Result<Self, Diagnostics> {
        let mut source = Self {
            value: Value::Null,
            files: Files::default(),
            locations: Vec::new(),
            copies: Vec::new(),
            origins: HashMap::new(),
            notes: Vec::new(),
            mistakes: Vec::new(),
            profile: input.profile,
            prefix: input.prefix.to_owned(),
        };
        match source.read(input.file, Cow::Borrowed(input.text)) {
            Ok(value) => source.value = value,
            Err(mistakes) => return Err(Diagnostics::new(&source.files, mistakes)),
        }
        link::link(&mut source, input)?;
        overlay::apply(&mut source, input.overlays)?;
        Ok(source)
    }

    /// Parses one more file.
    pub(super) fn read(&mut self, name: &str, text: Cow<'a, str>) -> Result<Value, Vec<Diagnostic>> {
        let number = self.files.add(name, text);
        let file = &self.files.list()[number];
        let loaded = match json::load(&file.text, file.base) {
            Some((value, locations)) => Ok(Loaded {
                value,
                locations,
                copies: HashMap::new(),
                notes: Vec::new(),
            }),
            None => yaml::load(&file.text, file.base, self.profile),
        };
        // A file with mistakes has a number, too.
        let (locations, copies, value) = match loaded {
            Ok(mut loaded) => {
                self.notes.extend(loaded.notes);
                let tagged = match self.profile {
                    Profile::Strict => file_tag::expand(&mut loaded.value, &mut loaded.locations),
                    Profile::Tolerant => Ok(Vec::new()),
                };
                let value = match tagged {
                    Ok(mistakes) => {
                        self.mistakes.extend(mistakes);
                        Ok(loaded.value)
                    }
                    Err(mistake) => Err(vec![mistake]),
                };
                (loaded.locations, loaded.copies, value)
            }
            Err(mistakes) => (HashMap::new(), HashMap::new(), Err(mistakes)),
        };
        self.locations.push(locations);
        self.copies.push(copies);
        value
    }
}
