//! Puts the configuration together: defaults, a file, the environment, flags.

use std::collections::HashMap;
use std::path::Path;

use config::{ConfigError, Environment, File, FileFormat};

use super::Config;

/// The default configuration, with everything explained.
pub const DEFAULT_FILE: &str = include_str!("wearlab.toml");

/// What every variable of the environment begins with.
const PREFIX: &str = "WEARLAB_";
/// The variable that names the file, rather than a setting.
const FILE: &str = "WEARLAB_CONFIG";
/// What the variables of a migration begin with.
const MIGRATION: &str = "WEARLAB_MIGRATE_";

/// Why there is no configuration. The text names the setting, where it was given, and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("the configuration is no good: {0}")]
pub struct ConfigurationError(String);

impl From<ConfigError> for ConfigurationError {
    fn from(error: ConfigError) -> Self {
        Self(one_line(&error.to_string()))
    }
}

/// A complaint about the text of a file comes with a picture of the place, which it names as well.
fn one_line(text: &str) -> String {
    let picture = |line: &&str| {
        line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')
            .starts_with('|')
    };
    let lines = text.lines().filter(|line| !picture(line)).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(": ")
}

/// Reads the configuration.
///
/// A flag, of a setting's name and value, goes before the environment, and that before the file.
///
/// # Errors
///
/// Where the file cannot be read, or a setting is unknown or cannot be what it is.
pub fn load(
    file: Option<&Path>,
    environment: impl IntoIterator<Item = (String, String)>,
    flags: &[(String, String)],
) -> Result<Config, ConfigurationError> {
    let mut builder = config::Config::builder().add_source(File::from_str(DEFAULT_FILE, FileFormat::Toml));
    if let Some(file) = file {
        builder = builder.add_source(File::from(file).format(FileFormat::Toml));
    }
    let variables: HashMap<_, _> = environment
        .into_iter()
        .filter(|(name, _)| name.starts_with(PREFIX) && name != FILE && !name.starts_with(MIGRATION))
        .filter(|(name, _)| !wearlab_cli::is_variable(name))
        .collect();
    let environment = Environment::with_prefix("WEARLAB")
        .prefix_separator("_")
        .separator("__")
        .ignore_empty(true)
        .try_parsing(true)
        .source(Some(variables));
    builder = builder.add_source(environment);
    for (name, value) in flags {
        builder = builder.set_override(name, value.as_str())?;
    }
    let built = builder.build()?;
    let config: Result<Config, _> = built.clone().try_deserialize();
    config.map_err(|error| with_value(&built, error))
}

/// Names the value too, where the reader of it does not.
fn with_value(built: &config::Config, error: ConfigError) -> ConfigurationError {
    let value = match &error {
        ConfigError::At { key: Some(key), .. } => built.get_string(key).ok(),
        _ => None,
    };
    match value {
        Some(value) => ConfigurationError(format!("{error}, which is {value:?}")),
        None => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{DEFAULT_FILE, load};
    use crate::config::Config;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn the_file_that_is_printed_says_the_defaults() {
        assert_eq!(load(None, [], &[]).expect("loads"), Config::default());
        assert_eq!(toml(DEFAULT_FILE).expect("loads"), Config::default());
    }

    #[test]
    fn what_is_commented_out_in_it_can_be_set() {
        let mut text = String::new();
        for line in DEFAULT_FILE.lines() {
            let setting = line
                .strip_prefix("# ")
                .filter(|rest| rest.starts_with('[') || rest.contains(" = "));
            text.push_str(setting.unwrap_or(line));
            text.push('\n');
        }
        let config = toml(&text).expect("loads");
        assert!(config.secret_key_file.is_some() && config.service.rate_limit.is_some());
        assert!(config.http.tls.is_some() && config.http.cors.is_some() && config.log.otlp_endpoint.is_some());
        assert!(config.http.management_listen.is_some());
    }

    fn toml(text: &str) -> Result<Config, super::ConfigurationError> {
        let file = tempfile::Builder::new().suffix(".conf").tempfile().expect("a file");
        fs::write(file.path(), text).expect("writes");
        load(Some(file.path()), [], &[])
    }

    #[test]
    fn flags_go_before_the_environment_and_that_before_the_file() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(
            file.path(),
            "data = \"a\"\n[http]\nlisten = \"127.0.0.1:1\"\n[http.limits]\nrequests = 1\n",
        )
        .expect("writes");
        let environment = pairs(&[
            ("WEARLAB_CONFIG", "not a setting"),
            ("WEARLAB_API_KEY", "one of the client"),
            ("WEARLAB_MIGRATE_TO", "one of a migration"),
            ("WEARLAB_HTTP__LISTEN", "127.0.0.1:2"),
            ("WEARLAB_HTTP__LIMITS__REQUESTS", "2"),
            ("WEARLAB_HTTP__CORS__ORIGINS", "https://a.example,https://b.example"),
            ("WEARLAB_LOG__FORMAT", ""),
            ("HOME", "/"),
        ]);
        let flags = pairs(&[
            ("http.listen", "127.0.0.1:3"),
            ("webhooks.allow_networks", "10.0.0.0/8, fd00::/8"),
        ]);
        let config = load(Some(file.path()), environment, &flags).expect("loads");
        assert_eq!(config.data.to_str(), Some("a"));
        assert_eq!(config.http.limits.requests, 2);
        assert_eq!(config.http.listen.port(), 3);
        assert_eq!(config.http.cors.map(|cors| cors.origins.len()), Some(2));
        assert_eq!(config.webhooks.allow_networks.len(), 2);
    }

    #[test]
    fn a_list_can_be_given_as_text() {
        let origins = |config: Config| config.http.cors.expect("set").origins;
        let expected = ["https://one.example", "https://two.example"];
        let text = "https://one.example, https://two.example";
        let flags = pairs(&[("http.cors.origins", text)]);
        assert_eq!(origins(load(None, [], &flags).expect("loads")), expected);
        let environment = pairs(&[("WEARLAB_HTTP__CORS__ORIGINS", text)]);
        assert_eq!(origins(load(None, environment, &[]).expect("loads")), expected);
        let file = "[http.cors]\norigins = [\"https://one.example\", \"https://two.example\"]";
        assert_eq!(origins(toml(file).expect("loads")), expected);
        let error = toml("[http.cors]\norigins = 1").expect_err("no list").to_string();
        assert!(
            error.contains("a list of texts") && error.contains("http.cors.origins"),
            "{error}"
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_the_setting_and_its_value() {
        for (text, said) in [
            ("dta = \"x\"", "dta"),
            ("[http]\nlisten = \"nowhere\"", "http.listen"),
            ("[http.limits]\nrequests = \"many\"", "http.limits.requests"),
            ("[http.limits]\nrequests = -1", "http.limits.requests"),
            ("[http.timeouts]\nheader = \"soon\"", "http.timeouts.header"),
            ("[log]\nformat = \"xml\"", "log.format"),
            ("[http.tls]\nkey = \"k\"", "certificate"),
            ("[http", "toml"),
            ("http = 1", "expected a section of settings for key `http`"),
            ("[http.limits]\n\nrequests = [", "line 3, column"),
        ] {
            let error = toml(text).expect_err(text).to_string();
            assert!(error.to_lowercase().contains(&said.to_lowercase()), "{text:?}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            let value = text
                .split_once(" = \"")
                .map_or("", |(_, value)| value.trim_end_matches('"'));
            assert!(
                error.contains(value) || ["x", "k"].contains(&value),
                "{text:?}: {error}"
            );
        }
    }
}
