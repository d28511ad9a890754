//! The body of a request, of the options `--body` and `--set`.

use std::fs;
use std::io::{self, Read};

use clap::{Arg, ArgAction, ArgMatches};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use wearlab_kit_types::FilePart;
use wearlab_kit_types::multipart::{file, with_files};

const BODY: &str = "body";
const SET: &str = "set";

/// The body of a request.
pub struct Body {
    /// Description in help.
    pub help: &'static str,
    /// True if the call must have one.
    pub required: bool,
    /// True for a JSON value, whose parts `--set` sets.
    pub values: bool,
    /// The parts of the body that are files, as options.
    pub files: &'static [FileOption],
}

/// A part of a body that is a file.
pub struct FileOption {
    /// The name of the option.
    pub option: &'static str,
    /// Name in the body.
    pub part: &'static str,
    /// Description in help.
    pub help: &'static str,
    /// True if the option may be repeated.
    pub list: bool,
}

/// Error of a call without its required body.
pub(crate) const MISSING: &str = "missing --body or --set";

/// The options of a body.
pub(crate) fn options(body: &Body) -> impl Iterator<Item = Arg> {
    let need = if body.required { "" } else { " (optional)" };
    let itself = if body.values { ", or the JSON itself" } else { "" };
    let text = Arg::new(BODY)
        .long(BODY)
        .value_name(if body.values { "FILE|-|JSON" } else { "FILE|-" })
        .help(format!("{} A file, - for standard input{itself}{need}", body.help));
    let set = Arg::new(SET)
        .long(SET)
        .value_name("PATH=VALUE")
        .action(ArgAction::Append)
        .help("Set a value of the body, such as name=Ada or address.lines.0=...; VALUE is JSON, or else a string");
    let files = body.files.iter().map(file_option);
    std::iter::once(text).chain(body.values.then_some(set)).chain(files)
}

fn file_option(file: &FileOption) -> Arg {
    let again = if file.list { " May be repeated." } else { "" };
    let action = if file.list { ArgAction::Append } else { ArgAction::Set };
    Arg::new(file.option)
        .long(file.option)
        .value_name("@FILE")
        .action(action)
        .help(format!("{}{again}", file.help))
}

/// Reads the body from the options. None if neither is given. The error does not repeat the body.
pub(crate) fn read<T: DeserializeOwned>(matches: &ArgMatches) -> Result<Option<T>, String> {
    given(matches)?.map(|value| typed(&value)).transpose()
}

/// Reads the body from the options, and adds the parts of those of files.
pub(crate) fn read_parts<T: DeserializeOwned>(
    matches: &ArgMatches,
    options: &[FileOption],
) -> Result<Option<T>, String> {
    let mut value = given(matches)?;
    let mut files = Vec::new();
    for option in options {
        let paths = matches.get_many::<String>(option.option).into_iter().flatten();
        let mut found = Vec::new();
        for path in paths {
            let path = path.strip_prefix('@').unwrap_or(path);
            let open = FilePart::open(path).map_err(|error| format!("--{} {path}: {error}", option.option))?;
            found.push(file(files.len(), &open));
            files.push(open);
        }
        let part = match option.list {
            true if !found.is_empty() => Some(Value::Array(found)),
            _ => found.pop(),
        };
        if let Some(part) = part {
            match value.get_or_insert_with(|| Value::Object(Map::new())) {
                Value::Object(members) => drop(members.insert(option.part.to_owned(), part)),
                _ => return Err("--body must be a JSON object".to_owned()),
            }
        }
    }
    with_files(files, || value.map(|value| typed(&value)).transpose())
}

/// The value of `--body` and `--set`.
fn given(matches: &ArgMatches) -> Result<Option<Value>, String> {
    let given = matches.get_one::<String>(BODY);
    let sets: Vec<&String> = matches.get_many::<String>(SET).into_iter().flatten().collect();
    if given.is_none() && sets.is_empty() {
        return Ok(None);
    }
    let mut value = match given {
        Some(given) => parse(&text(given)?)?,
        None => Value::Object(Map::new()),
    };
    for set in sets {
        let (path, new) = set
            .split_once('=')
            .ok_or_else(|| format!("--set {set}: write it as PATH=VALUE"))?;
        let new = serde_json::from_str(new).unwrap_or_else(|_| Value::String(new.to_owned()));
        put(&mut value, path, new).map_err(|why| format!("--set {path}: {why}"))?;
    }
    Ok(Some(value))
}

/// The value as a type. The error does not repeat it.
pub(crate) fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    let text = value.to_string();
    let mut json = serde_json::Deserializer::from_str(&text);
    match serde_path_to_error::deserialize(&mut json) {
        Ok(value) => Ok(value),
        Err(error) => {
            let (path, error) = (error.path().to_string(), error.inner().to_string());
            let error = error
                .rsplit_once(" at line ")
                .map_or(error.as_str(), |(error, _)| error);
            let expected = error
                .rsplit_once(", expected ")
                .map(|(_, expected)| format!("must be {expected}"));
            // Anything else may repeat the value.
            let missing = || error.strip_prefix("missing ").map(|what| format!("has no {what}"));
            let why = expected.or_else(missing).unwrap_or("has another form".to_owned());
            Err(format!("body: {path} {why}"))
        }
    }
}

/// The bytes of `--body`. None if it is not given.
pub(crate) fn bytes(matches: &ArgMatches) -> Result<Option<Vec<u8>>, String> {
    let Some(given) = matches.get_one::<String>(BODY) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let read = if given == "-" {
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(given)
    };
    read.map(Some).map_err(|error| format!("--body {given}: {error}"))
}

/// The text of `--body`: itself if it begins like JSON, else that of a file.
fn text(given: &str) -> Result<String, String> {
    if given == "-" {
        let mut text = String::new();
        let read = io::stdin().read_to_string(&mut text);
        return read.map(|_| text).map_err(|error| format!("--body -: {error}"));
    }
    if given.trim_start().starts_with(['{', '[', '"']) {
        return Ok(given.to_owned());
    }
    fs::read_to_string(given).map_err(|error| format!("--body {given}: {error}"))
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("--body is not JSON: {error}"))
}

/// Sets a value at a path of names and indices. Objects on the way are added; a list takes its next index.
fn put(into: &mut Value, path: &str, new: Value) -> Result<(), String> {
    let mut here = into;
    for step in path.split('.') {
        if here.is_null() {
            *here = Value::Object(Map::new());
        }
        here = match here {
            Value::Object(members) => members.entry(step).or_insert(Value::Null),
            Value::Array(items) => {
                let index: usize = step
                    .parse()
                    .map_err(|_| format!("`{step}` is not an index of a list"))?;
                if index == items.len() {
                    items.push(Value::Null);
                }
                items
                    .get_mut(index)
                    .ok_or_else(|| format!("the list has no item {index}"))?
            }
            _ => {
                return Err(format!(
                    "`{step}` is below a value that is neither an object nor a list"
                ));
            }
        };
    }
    *here = new;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Body, FileOption, FilePart, options, put, read_parts};

    #[test]
    fn files_become_parts_of_the_body() {
        #[derive(serde::Deserialize)]
        struct Upload {
            title: String,
            file: FilePart,
            more: Vec<FilePart>,
        }
        const FILES: [FileOption; 2] = [
            FileOption {
                option: "file",
                part: "file",
                help: "",
                list: false,
            },
            FileOption {
                option: "more",
                part: "more",
                help: "",
                list: true,
            },
        ];
        let body = Body {
            help: "",
            required: true,
            values: true,
            files: &FILES,
        };
        let manifest = concat!("@", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let read = |last: &str| {
            let command = clap::Command::new("call").args(options(&body));
            let given = [
                "call", "--set", "title=a", "--file", manifest, "--more", manifest, "--more", last,
            ];
            let matches = command.try_get_matches_from(given).expect("options");
            read_parts::<Upload>(&matches, &FILES)
        };
        let upload = read(manifest).expect("files").expect("a body");
        assert_eq!((upload.title.as_str(), upload.more.len()), ("a", 2));
        assert_eq!(upload.file.filename(), Some("Cargo.toml"));
        let missing = read("@/no/such/file").err().expect("no file");
        assert!(missing.starts_with("--more /no/such/file: "), "{missing}");
    }

    #[test]
    fn paths_lead_into_objects_and_lists() {
        let mut body = json!({ "list": [1] });
        for (path, value) in [
            ("a.b", json!(1)),
            ("list.1", json!("x")),
            ("list.0", json!(2)),
            ("a.c", Value::Null),
        ] {
            put(&mut body, path, value).expect("a path");
        }
        assert_eq!(body, json!({ "list": [2, "x"], "a": { "b": 1, "c": null } }));
        for path in ["list.3", "list.x", "a.b.c"] {
            assert!(put(&mut body, path, Value::Null).is_err(), "{path}");
        }
    }
}
