//! Puts the configuration together: defaults, a file, the environment, flags.

use std::collections::BTreeMap;
use std::path::Path;

use super::in_force::{self, InForce};
use super::node::{self, Node, Origin, Table, Value};
use super::problem::{ConfigurationError, Problem};
use super::read::{Section, Wrong};
use super::{Config, check, sources};

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
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigurationError> {
        let mut settings = match file {
            Some(file) => sources::file(file)?,
            None => Table::new(),
        };
        let (variables, ignored) = sources::environment(environment);
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
        let mut problems = Vec::new();
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
                    let missing = error
                        .inner()
                        .missing
                        .map(|field| format!("{}.{field}", problem.setting));
                    if missing.is_none_or(|missing| problems.iter().all(|known: &Problem| known.setting != missing)) {
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
    environment: impl IntoIterator<Item = (String, String)>,
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
    let shown = match &node.value {
        _ if !wrong.is_value || is_secret(&setting) => None,
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

/// Whether a value of a setting must not be told.
pub(super) fn is_secret(setting: &str) -> bool {
    SECRET.iter().any(|secret| {
        let rest = setting.strip_prefix(secret);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{DEFAULT_FILE, Loaded, load};
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
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), &text).expect("writes");
        // Not every build has traces.
        let loaded = Loaded::read(Some(file.path()), [], &[]).expect("reads");
        assert_eq!(loaded.problems, []);
        let config = loaded.config;
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
            ("dta = \"x\"", ":1: dta: unknown setting; expected one of data, "),
            ("[http]\nlisten = \"nowhere\"", ":2: http.listen: "),
            (
                "[http.limits]\nrequests = \"many\"",
                ":2: http.limits.requests: expected a whole number",
            ),
            (
                "[http.limits]\nrequests = -1",
                ":2: http.limits.requests: expected a whole number",
            ),
            (
                "[http.timeouts]\nheader = \"soon\"",
                ":2: http.timeouts.header: expected a span",
            ),
            (
                "[http.timeouts]\nheader = 10",
                ":2: http.timeouts.header: expected a span",
            ),
            ("[log]\nformat = \"xml\"", ":2: log.format: expected text or json"),
            ("[http.tls]\nkey = \"k\"", ":1: http.tls: `certificate` is missing"),
            ("[http", ":1: not TOML from column 6 on: unclosed table"),
            ("http = 1", ":1: http: expected a section of settings"),
            ("[http.limits]\n\nrequests = [", ":3: not TOML from column"),
        ] {
            let error = toml(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text:?}: {error}");
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

    #[test]
    fn all_that_is_wrong_is_said_at_once_with_where_it_was_given() {
        let file = "data = \"\"\n[events]\nkeep_undelivered = \"0s\"\nkep = \"1s\"\n[webhooks]\nin_flight = 0\n";
        let path = tempfile::NamedTempFile::new().expect("a file");
        fs::write(path.path(), file).expect("writes");
        let environment = pairs(&[
            ("WEARLAB_HTTP__LIMITS__REQUESTS", "many"),
            ("WEARLAB_WEBHOOKS__TIMEOUT", "0s"),
        ]);
        let flags = pairs(&[("log.filter", "wearlab=loud"), ("svix.server", "https://svix.example")]);
        let error = load(Some(path.path()), environment, &flags).expect_err("much is wrong");
        let said = error.to_string();
        assert!(said.starts_with("invalid configuration: 8 problems\n"), "{said}");
        let name = path.path().display();
        for expected in [
            format!("{name}:1: data: "),
            format!("{name}:3: events.keep_undelivered: "),
            format!("{name}:4: events.kep: unknown setting"),
            format!("{name}:6: webhooks.in_flight: "),
            "WEARLAB_HTTP__LIMITS__REQUESTS: http.limits.requests: ".to_owned(),
            "WEARLAB_WEBHOOKS__TIMEOUT: webhooks.timeout: ".to_owned(),
            "--set log.filter: log.filter: ".to_owned(),
            "--set svix.server: svix.server: ".to_owned(),
        ] {
            let found = said.lines().filter(|line| line.trim_start().starts_with(&expected));
            assert_eq!(found.count(), 1, "{expected:?} in\n{said}");
        }
    }

    #[test]
    fn text_is_text() {
        let environment = pairs(&[("WEARLAB_DATA", "007"), ("WEARLAB_SVIX__TOKEN", "00123456")]);
        let config = load(None, environment, &[]).expect("loads");
        assert_eq!(config.data.to_str(), Some("007"));
        assert_eq!(config.svix.token.expect("set").expose(), "00123456");
        for token in ["TRUE", "1e3", "-0", "0x10", " x "] {
            let flags = pairs(&[
                ("svix.token", token),
                ("webhooks.allow_http", "TRUE"),
                ("webhooks.in_flight", "07"),
            ]);
            let config = load(None, [], &flags).expect("loads");
            assert_eq!(config.svix.token.expect("set").expose(), token);
            assert!(config.webhooks.allow_http && config.webhooks.in_flight == 7);
        }
    }

    /// What Kubernetes sets for services called wearlab, wearlab-api and so on.
    #[test]
    fn links_of_services_are_none_of_ours() {
        let links = [
            ("WEARLAB_PORT", "tcp://10.0.0.1:80"),
            ("WEARLAB_PORT_80_TCP", "tcp://10.0.0.1:80"),
            ("WEARLAB_PORT_80_TCP_PROTO", "tcp"),
            ("WEARLAB_PORT_80_TCP_PORT", "80"),
            ("WEARLAB_PORT_80_TCP_ADDR", "10.0.0.1"),
            ("WEARLAB_SERVICE_HOST", "10.0.0.1"),
            ("WEARLAB_SERVICE_PORT", "80"),
            ("WEARLAB_SERVICE_PORT_HTTP", "80"),
            ("WEARLAB_API_PORT", "tcp://10.0.0.1:80"),
            ("WEARLAB_API_PORT_53_UDP", "udp://10.0.0.1:53"),
            ("WEARLAB_API_SERVICE_HOST", "10.0.0.1"),
        ];
        let loaded = Loaded::read(None, pairs(&links), &[]).expect("reads");
        assert_eq!(loaded.problems, []);
        assert_eq!(loaded.ignored.len(), links.len());
        for (name, value) in [
            ("WEARLAB_PORT", "8080"),
            ("WEARLAB_HTTP_LISTEN", "127.0.0.1:1"),
            ("WEARLAB_HTTP__PORT", "tcp://x"),
        ] {
            let error = load(None, pairs(&[(name, value)]), &[]).expect_err(name).to_string();
            assert!(
                error.contains(&format!("{name}: ")) && error.contains("unknown setting"),
                "{error}"
            );
        }
    }

    /// A secret in the wrong place, and a wrong value in the place of one.
    #[test]
    fn no_message_has_a_secret() {
        const MARK: &str = "hush4711";
        let url = format!("postgres://u:{MARK}@h/db");
        let (mut files, mut given) = (Vec::new(), Vec::new());
        for section in [
            "database",
            "svix",
            "cloud_pubsub",
            "http",
            "http.tls",
            "log",
            "service.rate_limit",
        ] {
            given.push((section.to_owned(), url.clone()));
            files.extend([format!("{section} = \"{url}\""), format!("{section} = [\"{url}\"]")]);
            files.push(format!("[[{section}]]\nurl = \"{url}\""));
        }
        for setting in [
            "database.url",
            "database.connections",
            "database.statement_timeout",
            "database.authorities_file.x",
            "svix.token",
            "svix.tokn",
            "svix.server",
            "svix.token.x",
            "cloud_pubsub.endpoint.x",
            "dtabase",
            "data",
        ] {
            let (section, name) = setting.split_once('.').unwrap_or(("", setting));
            given.push((setting.to_owned(), url.clone()));
            for value in [
                format!("\"{url}"),
                format!("[\"{url}\", 1]"),
                format!("{{ {MARK} = 1 }}"),
                format!("'{url}' x"),
                url.clone(),
            ] {
                let head = if section.is_empty() {
                    String::new()
                } else {
                    format!("[{section}]\n")
                };
                files.push(format!("{head}{name} = {value}\n"));
            }
        }
        let mut refused = 0;
        let mut check = |what: &str, loaded: Result<Config, super::ConfigurationError>| match loaded {
            Ok(config) => assert!(!format!("{config:?}").contains(MARK), "{what}"),
            Err(error) => {
                refused += 1;
                // Names of settings may be told: they are looked for.
                let said = format!("{error} {error:?}").replace(&format!(".{MARK}"), "");
                assert!(!said.contains(MARK), "{what}: {said}");
            }
        };
        for file in &files {
            check(file, toml(file));
        }
        for (setting, value) in &given {
            let variable = format!("WEARLAB_{}", setting.to_uppercase().replace('.', "__"));
            check(setting, load(None, [(variable, value.clone())], &[]));
            check(setting, load(None, [], &[(setting.clone(), value.clone())]));
        }
        assert!(refused > 80, "{refused}");
    }
}
