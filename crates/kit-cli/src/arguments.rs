//! Arguments of a call: options of the command line, or members of a JSON object.

use clap::ArgMatches;
use serde::de::DeserializeOwned;
use wearlab_kit_types::{JsonObject, JsonValue};

use crate::body::{self, FileOption};
use crate::failure::Failure;

/// The member of the body.
pub const BODY: &str = "body";

/// Arguments of a call.
pub(crate) enum Arguments<'c> {
    /// Options, some of which are files of the body.
    Options {
        matches: &'c ArgMatches,
        files: &'static [FileOption],
    },
    /// Members of an object: parameters, and the body. Nothing is read from files.
    Object(&'c JsonObject),
}

impl Arguments<'_> {
    /// The value of a parameter. None if it is not given.
    pub(crate) fn one<T>(&self, option: &str) -> Result<Option<T>, Failure>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        match self {
            Self::Options { matches, .. } => Ok(matches.get_one::<T>(option).cloned()),
            Self::Object(members) => {
                let name = name(option);
                member(members, &name).map(|value| read(&name, value)).transpose()
            }
        }
    }

    /// The values of a parameter that is a list. None if it is not given.
    pub(crate) fn list<T>(&self, option: &str) -> Result<Option<Vec<T>>, Failure>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        match self {
            Self::Options { matches, .. } => Ok(matches.get_many::<T>(option).map(|values| values.cloned().collect())),
            Self::Object(members) => {
                let name = name(option);
                member(members, &name).map(|value| read(&name, value)).transpose()
            }
        }
    }

    /// The body as a value. None if it is not given.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        match self {
            Self::Options { matches, .. } => body::read(matches),
            Self::Object(members) => member(members, BODY).map(body::typed).transpose(),
        }
    }

    /// The body as a value, some of whose parts are files.
    pub(crate) fn body_parts<T: DeserializeOwned>(&self) -> Result<Option<T>, String> {
        match self {
            Self::Options { matches, files } => body::read_parts(matches, files),
            Self::Object(_) => self.body(),
        }
    }

    /// The body as bytes. None if it is not given.
    pub(crate) fn body_bytes(&self) -> Result<Option<Vec<u8>>, String> {
        match self {
            Self::Options { matches, .. } => body::bytes(matches),
            Self::Object(members) => match member(members, BODY) {
                None => Ok(None),
                Some(JsonValue::String(text)) => Ok(Some(text.clone().into_bytes())),
                Some(_) => Err(format!("{BODY}: must be a string")),
            },
        }
    }

    /// The error of a required parameter that is not given.
    pub(crate) fn missing(&self, option: &str) -> Failure {
        Failure::Usage(match self {
            Self::Options { .. } => format!("missing --{option}"),
            Self::Object(_) => format!("missing {}", name(option)),
        })
    }

    /// The error of a required body that is not given.
    pub(crate) fn missing_body(&self) -> Failure {
        Failure::Usage(match self {
            Self::Options { .. } => body::MISSING.to_owned(),
            Self::Object(_) => format!("missing {BODY}"),
        })
    }
}

/// The member of a parameter, by its option.
pub(crate) fn name(option: &str) -> String {
    option.replace('-', "_")
}

/// The value of a member. A null is none.
fn member<'m>(members: &'m JsonObject, name: &str) -> Option<&'m JsonValue> {
    members.get(name).filter(|value| !value.is_null())
}

fn read<T: DeserializeOwned>(name: &str, value: &JsonValue) -> Result<T, Failure> {
    T::deserialize(value).map_err(|error| Failure::Usage(format!("{name}: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Arguments;

    fn object(value: Value) -> serde_json::Map<String, Value> {
        match value {
            Value::Object(members) => members,
            _ => panic!("an object"),
        }
    }

    #[test]
    fn members_are_values_of_parameters() {
        let members = object(json!({ "page_size": 7, "kinds": ["a", "b"], "none": null, "wrong": "x" }));
        let arguments = Arguments::Object(&members);
        assert_eq!(arguments.one::<i64>("page-size").expect("a number"), Some(7));
        let kinds = arguments.list::<String>("kinds").expect("a list");
        assert_eq!(kinds, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(arguments.one::<i64>("none").expect("nothing"), None);
        assert_eq!(arguments.one::<i64>("absent").expect("nothing"), None);
        let error = arguments.one::<i64>("wrong").expect_err("a text").to_string();
        assert_eq!(error, "wrong: invalid type: string \"x\", expected i64");
        assert_eq!(arguments.missing("page-size").to_string(), "missing page_size");
    }

    #[test]
    fn a_body_is_never_the_name_of_a_file() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let members = object(json!({ "body": file }));
        let arguments = Arguments::Object(&members);
        assert_eq!(arguments.body::<String>().expect("a text").as_deref(), Some(file));
        assert_eq!(arguments.body_bytes().expect("a text"), Some(file.as_bytes().to_vec()));
        let members = object(json!({ "body": 5 }));
        let arguments = Arguments::Object(&members);
        assert_eq!(arguments.body::<u8>().expect("a number"), Some(5));
        assert!(arguments.body_bytes().is_err());
    }
}
