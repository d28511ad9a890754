//! Parameters in the query that are objects or JSON.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

use crate::decode::{Broken, decode, decode_form};
use crate::field::{At, Found, Value};
use crate::input::Input;
use crate::query::{decode as text, raw};
use crate::schema_rules::{Rule, step};

impl Input {
    /// An object in the query, whose members are `name[member]`.
    pub fn query_object<T: DeserializeOwned>(&mut self, name: &'static str, rule: &Rule) -> Value<'_, T> {
        let member = |key: &str| {
            let member = key.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
            Some(member.to_owned())
        };
        let members = members(self.raw_query(), member);
        object(At::of(&mut self.violations, "query", name), members, rule)
    }

    /// An object in the query, whose members are parameters of these names.
    pub fn query_members<T: DeserializeOwned>(&mut self, names: &[&str], rule: &Rule) -> Value<'_, T> {
        let member = |key: &str| names.contains(&key).then(|| key.to_owned());
        let members = members(self.raw_query(), member);
        object(At::of(&mut self.violations, "query", ""), members, rule)
    }

    /// A JSON value in the query.
    pub fn query_json<T: DeserializeOwned>(&mut self, name: &'static str, rule: &Rule) -> Value<'_, T> {
        let (sent, violations) = self.single_query(name);
        let mut at = At::of(violations, "query", name);
        let found = match sent {
            Ok(None) => Found::Nothing,
            Ok(Some(text)) => found(&mut at, decode(text.as_bytes(), rule)),
            Err((code, message)) => bad(&mut at, code, message),
        };
        Value::new(at, found)
    }
}

/// The value, or its violations.
fn found<T>(at: &mut At<'_>, outcome: Result<T, Broken>) -> Found<T> {
    match outcome {
        Ok(value) => Found::Good(value),
        Err(Broken::Syntax(_)) => bad(at, "malformed", "must be JSON"),
        Err(Broken::Values(all)) => {
            at.note_parts(all);
            Found::Bad
        }
    }
}

fn bad<T>(at: &mut At<'_>, code: &str, message: impl Into<String>) -> Found<T> {
    at.note(code, message);
    Found::Bad
}

/// The members of an object and their texts. None for a text that is not UTF-8.
fn members(query: &str, member: impl Fn(&str) -> Option<String>) -> Vec<(String, Option<String>)> {
    let named = raw(query).filter_map(|(key, value)| Some((member(&text(key)?)?, text(value).map(Cow::into_owned))));
    named.collect()
}

/// Reads an object of scalar members. Without any, it was not sent.
fn object<'r, T: DeserializeOwned>(
    mut at: At<'r>,
    members: Vec<(String, Option<String>)>,
    rule: &Rule,
) -> Value<'r, T> {
    if members.is_empty() {
        return Value::new(at, Found::Nothing);
    }
    let mut form = form_urlencoded::Serializer::new(String::new());
    let mut good = true;
    for (index, (name, value)) in members.iter().enumerate() {
        let wrong = match value {
            None => Some(("malformed", "must be UTF-8 text")),
            Some(_) if members[..index].iter().any(|(known, _)| known == name) => {
                Some(("repeated", "must be given once"))
            }
            Some(_) => None,
        };
        if let Some((code, message)) = wrong {
            at.note_part(&step(name), code, message);
            good = false;
        }
        form.append_pair(name, value.as_deref().unwrap_or_default());
    }
    if !good {
        return Value::new(at, Found::Bad);
    }
    let found = found(&mut at, decode_form(form.finish().as_bytes(), rule));
    Value::new(at, found)
}
