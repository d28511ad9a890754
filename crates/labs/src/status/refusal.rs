//! Errors of steps that a history does not allow.

use std::fmt;

use super::{CollectionMethod, Step};

/// Rejection of a step by a history, which is left unchanged. The message names only steps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Step of another method than the order's.
    Method {
        /// Rejected step.
        step: Step,
        /// Method of the order.
        method: CollectionMethod,
    },
    /// Step that is not reachable from the one before it, or from which the one after it is not reachable.
    Transition {
        /// Rejected step.
        step: Step,
        /// Step before its time.
        before: Option<Step>,
        /// Step after its time.
        after: Option<Step>,
        /// Steps that are allowed there.
        allowed: Vec<Step>,
    },
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method { step, method } => {
                write!(f, "`{step}` is a step of another method: the order is of `{method}`")
            }
            Self::Transition {
                step,
                before: Some(before),
                after: None,
                ..
            } if before.is_final() => write!(f, "`{step}` cannot follow `{before}`, which is final"),
            Self::Transition {
                step,
                before,
                after,
                allowed,
            } => {
                match (before, after) {
                    (Some(before), None) => write!(f, "`{step}` cannot follow `{before}`")?,
                    (Some(before), Some(after)) => {
                        write!(f, "`{step}` cannot stand between `{before}` and the later `{after}`")?;
                    }
                    (None, Some(after)) => write!(f, "`{step}` cannot precede `{after}`")?,
                    (None, None) => write!(f, "`{step}` cannot be first")?,
                }
                f.write_str("; allowed here: ")?;
                if allowed.is_empty() {
                    return f.write_str("none");
                }
                for (at, step) in allowed.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}`{step}`")?;
                }
                Ok(())
            }
        }
    }
}
