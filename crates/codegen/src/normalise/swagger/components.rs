//! Components: definitions, parameters, responses and security schemes.

use serde_json::{Map, Value, json};

use super::bodies;
use super::conversion::Conversion;
use crate::source::{SWAGGER_SECTIONS, join};

impl Conversion {
    /// Joins the sections of the root and those of other files.
    pub(super) fn components(&mut self, root: &mut Map<String, Value>) -> Value {
        // Parts of other files are already there.
        let mut components = match root.shift_remove("components") {
            Some(Value::Object(components)) => components,
            _ => Map::new(),
        };
        for (old, new) in SWAGGER_SECTIONS {
            let new_at = join("/components", new);
            if let Some(Value::Object(members)) = components.get_mut(new) {
                self.section(new, members, &new_at, &new_at);
            }
            if let Some(Value::Object(mut members)) = root.shift_remove(old) {
                let old_at = join("", old);
                self.section(new, &mut members, &old_at, &new_at);
                for name in members.keys() {
                    self.moved(&join(&new_at, name), &join(&old_at, name));
                }
                let section = components.entry(new).or_insert_with(|| json!({}));
                if let Some(section) = section.as_object_mut() {
                    members.append(section);
                    *section = members;
                }
            }
        }
        Value::Object(components)
    }

    /// Converts a section of the components.
    fn section(&mut self, section: &str, members: &mut Map<String, Value>, old: &str, new: &str) {
        if section == "parameters" {
            // Bodies are written where they are used.
            members.retain(|_, parameter| !bodies::is_body(parameter));
        }
        let produces = self.produces.clone();
        for (name, member) in members {
            let (old, new) = (join(old, name), join(new, name));
            let Some(member) = member.as_object_mut() else { continue };
            match section {
                "parameters" => self.parameter(member, &old, &new),
                "responses" => self.response(member, &produces, &old, &new),
                "securitySchemes" => self.security_scheme(member, &old, &new),
                _ => {}
            }
        }
    }
}
