//! Why a step has no place in a history.

use std::fmt;

use super::{CollectionMethod, Step};

/// A step that a history refuses, which it leaves as it was. The message names steps alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It is a step of another method than the order's.
    Method {
        /// The step.
        step: Step,
        /// The method of the order.
        method: CollectionMethod,
    },
    /// The table does not lead from the step before to it, or from it to the step behind.
    Transition {
        /// The step.
        step: Step,
        /// The step before its time.
        before: Option<Step>,
        /// The step behind its time.
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
