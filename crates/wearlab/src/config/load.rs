//! Loads the configuration: flags over the environment over the file over the defaults.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use wearlab_settings::InvalidSetting;

use super::defaults::is_secret;
use super::overrides::{self, Override};
use super::problem::{ConfigurationError, Problem};
use super::read::{Kind, Section, ValueError};
use super::sources::{self, Environment};
use super::tree::{self, Node, Origin, Table, Value};
use super::{Config, check};

/// Configuration with the origins and the problems of its settings.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Configuration. An invalid setting has its default.
    pub config: Config,
    /// Origins of the settings that were given, by name.
    pub origins: BTreeMap<String, Origin>,
    /// Settings that differ from their defaults.
    pub overrides: Vec<Override>,
    /// Problems found so far.
    pub problems: Vec<Problem>,
    /// Ignored variables, which look like settings but were set by an orchestrator.
    pub ignored: Vec<String>,
}

impl Loaded {
    /// Reads the settings. `flags` are names and values; they take precedence over the environment, and that over the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read. An invalid setting is one of the problems instead.
    pub fn read(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigurationError> {
        let mut settings = match file {
            Some(file) => sources::file(file)?,
            None => Table::new(),
        };
        let Environment {
            settings: variables,
            not_text,
            ignored,
        } = sources::environment(environment);
        for (name, node) in variables {
            tree::insert(&mut settings, &name, node);
        }
        for (name, value) in flags {
            let node = Node {
                value: Value::Text(value.clone()),
                origin: Origin::Flag(format!("--set {name}")),
            };
            tree::insert(&mut settings, name, node);
        }
        let mut origins = BTreeMap::new();
        tree::leaves(&settings, "", &mut |name, node| {
            origins.insert(name, node.origin.clone());
        });
        let overrides = overrides::of_tree(&settings);
        let not_text = not_text.into_iter().map(|variable| Problem {
            origin: Some(Origin::Variable(variable)),
            setting: String::new(),
            reason: "the value is not UTF-8".to_owned(),
        });
        let mut problems: Vec<_> = not_text.collect();
        loop {
            match serde_path_to_error::deserialize::<_, Config>(Section(&settings)) {
                Ok(config) => {
                    return Ok(Self {
                        config,
                        origins,
                        overrides,
                        problems,
                        ignored,
                    });
                }
                Err(error) => {
                    // Without it, the next invalid setting is found.
                    let removed = tree::remove(&mut settings, error.path());
                    let ends = removed.is_none();
                    let problem = problem(removed, error.inner());
                    // A removed setting must not be reported as missing.
                    let reported = match error.inner().kind {
                        Kind::Missing(field) => {
                            let missing = format!("{}.{field}", problem.setting);
                            problems.iter().any(|known| known.setting == missing)
                        }
                        _ => false,
                    };
                    if !reported {
                        problems.push(problem);
                    }
                    if ends {
                        return Err(ConfigurationError(problems));
                    }
                }
            }
        }
    }

    /// Adds a problem of a setting, with its origin.
    pub fn add(&mut self, setting: &str, reason: impl Into<String>) {
        self.problems.push(Problem {
            origin: self.origins.get(setting).cloned(),
            setting: setting.to_owned(),
            reason: reason.into(),
        });
    }

    /// Records that a setting was given by an option of its own.
    pub fn from_flag(&mut self, setting: &str, flag: &str, value: &str) {
        let origin = Origin::Flag(flag.to_owned());
        self.overrides.retain(|known| known.setting != setting);
        self.overrides.push(overrides::of(setting.to_owned(), value, &origin));
        self.origins.insert(setting.to_owned(), origin);
    }

    /// Checks the values, and adds their problems. Files that they name are not read.
    pub fn check_values(&mut self) {
        for InvalidSetting { key, reason } in check::values(&self.config) {
            self.add(&key, reason);
        }
    }

    /// Checks the files that settings name, and adds their problems.
    pub fn check_files(&mut self) {
        for InvalidSetting { key, reason } in check::files(&self.config) {
            // An empty name of a file is reported with the values.
            if self.problems.iter().all(|known| known.setting != key) {
                self.add(&key, reason);
            }
        }
    }

    /// Returns the configuration, if there is no problem.
    ///
    /// # Errors
    ///
    /// All problems.
    pub fn finish(self) -> Result<Config, ConfigurationError> {
        match self.problems.is_empty() {
            true => Ok(self.config),
            false => Err(ConfigurationError(self.problems)),
        }
    }
}

/// Loads the configuration and checks its values, but not the files that it names. See [`Loaded::read`].
///
/// # Errors
///
/// If the file cannot be read, or any setting is unknown or invalid: all of them.
pub fn load(
    file: Option<&Path>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    flags: &[(String, String)],
) -> Result<Config, ConfigurationError> {
    let mut loaded = Loaded::read(file, environment, flags)?;
    loaded.check_values();
    loaded.finish()
}

fn problem(removed: Option<(String, Node)>, wrong: &ValueError) -> Problem {
    let Some((setting, node)) = removed else {
        return Problem {
            origin: None,
            setting: String::new(),
            reason: wrong.reason.clone(),
        };
    };
    if wrong.kind == Kind::UnknownName {
        return unknown(&setting, node.origin, wrong);
    }
    let shown = match &node.value {
        _ if wrong.kind != Kind::Value || is_secret(&setting) => None,
        Value::Text(text) => Some(format!("{text:?}")),
        Value::Boolean(value) => Some(value.to_string()),
        Value::Integer(value) => Some(value.to_string()),
        Value::Float(value) => Some(value.to_string()),
        Value::List(_) | Value::Table(_) => None,
    };
    let reason = match shown {
        Some(value) => format!("{}, not {value}", wrong.reason),
        None => wrong.reason.clone(),
    };
    Problem {
        origin: Some(node.origin),
        setting,
        reason,
    }
}

/// Creates the problem of an unknown setting. Only its section is named if the name may be a misplaced secret.
fn unknown(setting: &str, origin: Origin, wrong: &ValueError) -> Problem {
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let names: Vec<_> = match setting.split_once('.') {
        Some((section, _)) if is_secret(section) => vec![section],
        _ => setting.split('.').take_while(plain).collect(),
    };
    let shown = names.join(".");
    Problem {
        origin: Some(match origin {
            Origin::Flag(_) => Origin::Flag(format!("--set {shown}").trim_end().to_owned()),
            other => other,
        }),
        setting: shown,
        reason: wrong.reason.clone(),
    }
}
