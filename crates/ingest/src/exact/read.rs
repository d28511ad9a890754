//! Parses values from raw text.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::value::{ExactError, ExactNumber, ExactObject, ExactValue};

/// Parses a value from a text.
pub(super) fn read_text(json: &str, levels: usize) -> Result<ExactValue, ExactError> {
    read(serde_json::from_str(json).map_err(|_| ExactError::Syntax)?, levels)
}

/// Returns the members of an object, each as its text: all of them, even if several have the same name.
pub(crate) fn members(json: &str) -> serde_json::Result<Vec<(String, &RawValue)>> {
    serde_json::from_str(json).map(|Members(members)| members)
}

/// Parses a value from raw text.
pub(super) fn read(raw: &RawValue, levels: usize) -> Result<ExactValue, ExactError> {
    let syntax = |_| ExactError::Syntax;
    let json = raw.get();
    Ok(match json.as_bytes().first() {
        Some(b'{' | b'[') if levels == 0 => return Err(ExactError::Deep),
        Some(b'{') => {
            let Members(members) = serde_json::from_str(json).map_err(syntax)?;
            let values = members.into_iter();
            let values = values.map(|(name, value)| Ok((name, read(value, levels - 1)?)));
            ExactValue::Object(ExactObject(last_of_each(values.collect::<Result<_, _>>()?)))
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(json).map_err(syntax)?;
            let values = values.into_iter().map(|value| read(value, levels - 1));
            ExactValue::Array(values.collect::<Result<_, _>>()?)
        }
        // The rest of a string was validated with the raw text.
        Some(b'"') => ExactValue::String(serde_json::from_str(json).map_err(|_| ExactError::Escape)?),
        Some(b'n') => ExactValue::Null,
        Some(b't' | b'f') => ExactValue::Bool(json == "true"),
        _ => {
            // It must be a valid double, whatever its value. Short numbers are.
            let is_short = json.len() < 300 && !json.contains(['e', 'E']);
            if !is_short {
                serde_json::from_str::<serde_json::Number>(json).map_err(|_| ExactError::Range)?;
            }
            ExactValue::Number(ExactNumber(raw.to_owned()))
        }
    })
}

/// Maximum members that are compared with each other instead of by a hash.
const FEW: usize = 12;

fn has_repeated(members: &[(String, ExactValue)]) -> bool {
    let mut each = members.iter().enumerate();
    each.any(|(at, (name, _))| members[..at].iter().any(|(before, _)| before == name))
}

/// Returns the last one of members with the same name, at the position of the first.
fn last_of_each(members: Vec<(String, ExactValue)>) -> Vec<(String, ExactValue)> {
    if members.len() <= FEW && !has_repeated(&members) {
        return members;
    }
    let mut order: Vec<_> = (0..members.len()).collect();
    order.sort_by_key(|at| &members[*at].0);
    if !order.windows(2).any(|pair| members[pair[0]].0 == members[pair[1]].0) {
        return members;
    }
    let mut object = serde_json::Map::new();
    for (at, (name, _)) in members.iter().enumerate() {
        object.insert(name.clone(), at.into());
    }
    let mut members: Vec<_> = members.into_iter().map(Some).collect();
    let last = object
        .into_iter()
        .filter_map(|(_, at)| usize::try_from(at.as_u64()?).ok());
    last.filter_map(|at| members[at].take()).collect()
}

/// Members of an object, each as its text.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}
