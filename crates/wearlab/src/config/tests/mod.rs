//! Tests of loading a configuration.

mod check;
mod problems;
mod secrets;
mod sources;

use std::ffi::OsString;
use std::fs;

use super::{Config, ConfigurationError, load};

fn flags(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn variables(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    list.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn toml(text: &str) -> Result<Config, ConfigurationError> {
    let file = tempfile::Builder::new().suffix(".conf").tempfile().expect("a file");
    fs::write(file.path(), text).expect("writes");
    load(Some(file.path()), [], &[])
}
