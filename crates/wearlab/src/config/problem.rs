//! What is wrong with a configuration, all at once, each with the setting and where it was given.

use std::fmt;

use super::node::Origin;

/// One setting that cannot be used. Its text never has the value of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the setting was given, unless the default is what is wrong, or it is missing.
    pub origin: Option<Origin>,
    /// The setting, such as `http.listen`; empty where a file as a whole is wrong.
    pub setting: String,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(f, "{origin}: ")?;
        }
        match self.setting.as_str() {
            "" => f.write_str(&self.reason),
            setting => write!(f, "{setting}: {}", self.reason),
        }
    }
}

/// Why there is no configuration: everything that is wrong, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError(pub Vec<Problem>);

impl std::error::Error for ConfigurationError {}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid configuration: ")?;
        match self.0.as_slice() {
            [only] => write!(f, "{only}"),
            problems => {
                write!(f, "{} problems", problems.len())?;
                problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
            }
        }
    }
}
