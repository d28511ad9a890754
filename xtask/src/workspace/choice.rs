//! The crates of a generated workspace.

use std::path::Path;

use anyhow::{Result, bail};

/// The crates, each with the one that it depends on.
const CRATES: [(&str, Option<&str>); 6] = [
    ("models", None),
    ("client", Some("models")),
    ("server", Some("models")),
    ("cli", Some("client")),
    ("mcp", Some("cli")),
    ("mock", Some("models")),
];

/// Crates of a workspace for which none are chosen.
const DEFAULT: [&str; 3] = ["models", "client", "server"];

/// Chosen crates, with those that they depend on.
pub(super) struct Choice(Vec<&'static str>);

impl Choice {
    /// Returns the crates for a directory. Without a choice, they are those of an earlier run, or the default.
    ///
    /// # Errors
    ///
    /// If the directory has a generated crate that is not chosen: it would no longer compile.
    pub(super) fn new(names: &[String], out: &Path) -> Result<Self> {
        let earlier = CRATES.iter().map(|(name, _)| *name);
        let earlier: Vec<_> = earlier
            .filter(|name| out.join("crates").join(name).join("src/generated").exists())
            .collect();
        let mut chosen: Vec<&str> = match (names, earlier.as_slice()) {
            ([], []) => DEFAULT.to_vec(),
            ([], earlier) => earlier.to_vec(),
            (names, _) => names.iter().map(String::as_str).collect(),
        };
        // A crate follows those that it depends on.
        for (name, base) in CRATES.iter().rev() {
            if chosen.contains(name) {
                chosen.extend(base);
            }
        }
        if let Some(left) = earlier.iter().find(|name| !chosen.contains(name)) {
            bail!(
                "{} is a crate of an earlier run: delete it, or add `{left}` to --crates",
                out.join("crates").join(left).display()
            );
        }
        let names = CRATES.iter().map(|(name, _)| *name);
        Ok(Self(names.filter(|name| chosen.contains(name)).collect()))
    }

    /// Returns whether it has a crate.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Returns whether a file belongs to one of the crates.
    pub(super) fn has_file(&self, path: &str) -> bool {
        let rest = path.strip_prefix("crates/");
        rest.and_then(|rest| rest.split('/').next())
            .is_some_and(|name| self.has(name))
    }

    /// All crates.
    #[cfg(test)]
    pub(super) fn all() -> Self {
        Self(CRATES.iter().map(|(name, _)| *name).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Choice;

    fn chosen(names: &[&str], out: &Path) -> String {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        match Choice::new(&names, out) {
            Ok(choice) => choice.0.join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn crates_come_with_those_they_depend_on() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let out = scratch.path();
        assert_eq!(chosen(&[], out), "models client server");
        assert_eq!(chosen(&["client"], out), "models client");
        assert_eq!(chosen(&["mcp"], out), "models client cli mcp");
        assert_eq!(chosen(&["mock", "server"], out), "models server mock");
        let choice = Choice::new(&["client".to_owned()], out).expect("a choice");
        assert!(choice.has_file("crates/models/src/generated/mod.rs"));
        assert!(!choice.has_file("crates/server/src/generated/mod.rs"));
    }

    #[test]
    fn crates_of_an_earlier_run_stay() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let out = scratch.path();
        for name in ["models", "client", "cli"] {
            fs::create_dir_all(out.join("crates").join(name).join("src/generated")).expect("a directory");
        }
        assert_eq!(chosen(&[], out), "models client cli");
        assert_eq!(chosen(&["cli", "mock"], out), "models client cli mock");
        let error = chosen(&["client"], out);
        assert!(
            error.ends_with("crates/cli is a crate of an earlier run: delete it, or add `cli` to --crates"),
            "{error}"
        );
    }
}
