//! Problems of a configuration, each with the setting and its origin.

use std::fmt;

use super::tree::Origin;

/// Invalid setting. The text never shows a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Origin of the setting; none for a missing setting or a default.
    pub origin: Option<Origin>,
    /// Name of the setting, such as `http.listen`; empty for a problem of a whole file or variable.
    pub setting: String,
    /// Reason, with the expected value.
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

/// Invalid configuration: all problems, one per line.
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
