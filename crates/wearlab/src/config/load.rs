//! Puts the configuration together: defaults, a file, the environment, flags.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use super::in_force::{self, InForce};
use super::node::{self, Node, Origin, Table, Value};
use super::problem::{ConfigurationError, Problem};
use super::read::{Kind, Section, Wrong};
use super::sources::{self, Environment};
use super::{Config, check};

/// The default configuration, with everything explained.
pub const DEFAULT_FILE: &str = include_str!("wearlab.toml");

/// Settings whose values may be or hold secrets, and sections that may: none of their values is in a message.
const SECRET: [&str; 4] = ["cloud_pubsub", "database", "log.otlp_endpoint", "svix"];

/// A configuration, where its settings come from, and what is wrong with them.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration. A setting that cannot be read has its default.
    pub config: Config,
    /// Where each setting was given that was given at all, by its name.
    pub origins: BTreeMap<String, Origin>,
    /// The settings that differ from their defaults, by their names.
    pub in_force: Vec<InForce>,
    /// What is wrong so far.
    pub problems: Vec<Problem>,
    /// The variables of the environment that look like settings, and were set by an orchestrator for another purpose.
    pub ignored: Vec<String>,
}

impl Loaded {
    /// Reads the settings. A flag, of a setting's name and value, goes before the environment, and that before the file.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read. What is wrong with a setting is among the problems.
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
            node::put(&mut settings, &name, node);
        }
        for (name, value) in flags {
            let node = Node {
                value: Value::Text(value.clone()),
                origin: Origin::Flag(format!("--set {name}")),
            };
            node::put(&mut settings, name, node);
        }
        let mut origins = BTreeMap::new();
        node::leaves(&settings, "", &mut |name, node| {
            origins.insert(name, node.origin.clone());
        });
        let in_force = in_force::differing(&settings);
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
                        in_force,
                        problems,
                        ignored,
                    });
                }
                Err(error) => {
                    // Without it, the next one that is wrong is found.
                    let taken = node::take(&mut settings, error.path());
                    let ends = taken.is_none();
                    let problem = problem(taken, error.inner());
                    // What was taken out is missing for that alone.
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

    /// Adds a problem of a setting, which is told with where the setting was given.
    pub fn add(&mut self, setting: &str, reason: impl Into<String>) {
        self.problems.push(Problem {
            origin: self.origins.get(setting).cloned(),
            setting: setting.to_owned(),
            reason: reason.into(),
        });
    }

    /// Has a setting come from a flag of its own.
    pub fn from_flag(&mut self, setting: &str, flag: &str, value: &str) {
        let origin = Origin::Flag(flag.to_owned());
        self.in_force.retain(|known| known.setting != setting);
        self.in_force.push(in_force::of(setting.to_owned(), value, &origin));
        self.origins.insert(setting.to_owned(), origin);
    }

    /// Checks the values, and adds what is wrong with them. Files that they name are left alone.
    pub fn check_values(&mut self) {
        check::values(self);
    }

    /// Checks the files that settings name, and adds what is wrong with them.
    pub fn check_files(&mut self) {
        check::files(self);
    }

    /// The configuration, unless something is wrong with it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong.
    pub fn finish(self) -> Result<Config, ConfigurationError> {
        match self.problems.is_empty() {
            true => Ok(self.config),
            false => Err(ConfigurationError(self.problems)),
        }
    }
}

/// Reads the configuration, and checks its values. Files that it names are left alone.
///
/// A flag, of a setting's name and value, goes before the environment, and that before the file.
///
/// # Errors
///
/// Where the file cannot be read, or a setting is unknown or cannot be what it is: all that are, at once.
pub fn load(
    file: Option<&Path>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    flags: &[(String, String)],
) -> Result<Config, ConfigurationError> {
    let mut loaded = Loaded::read(file, environment, flags)?;
    loaded.check_values();
    loaded.finish()
}

fn problem(taken: Option<(String, Node)>, wrong: &Wrong) -> Problem {
    let Some((setting, node)) = taken else {
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

/// An unknown setting: the name of its section alone where the name may be a secret that was put in the wrong place.
fn unknown(setting: &str, origin: Origin, wrong: &Wrong) -> Problem {
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

/// Whether a value of a setting must not be told.
pub(super) fn is_secret(setting: &str) -> bool {
    SECRET.iter().any(|secret| {
        let rest = setting.strip_prefix(secret);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}
