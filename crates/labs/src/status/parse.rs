//! Parser of steps, with detailed errors.

use std::str::FromStr;

use thiserror::Error;

use super::{CollectionMethod, OrderStatus, Step};
use crate::nearest::hint;

/// Error of parsing a step. It does not quote the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseStepError {
    /// The text does not have three parts.
    #[error("expected `status.method.step`, three parts with a dot between them; found {parts}")]
    Parts {
        /// Number of its parts.
        parts: usize,
    },
    /// Unknown status, the first part.
    #[error("unknown status in the first part of three: {hint}")]
    Status {
        /// Hint: the nearest status, or all.
        hint: String,
    },
    /// Unknown method, the second part.
    #[error("unknown method in the second part of three: {hint}")]
    Method {
        /// Hint: the nearest method, or all.
        hint: String,
    },
    /// Unknown step, the third part.
    #[error("unknown step of `{status}.{method}` in the third part of three: {hint}")]
    Step {
        /// Status of the text.
        status: OrderStatus,
        /// Method of the text.
        method: CollectionMethod,
        /// Hint: the nearest step, or all.
        hint: String,
    },
    /// Step of the method that has another status.
    #[error("`{}` is a step of another status: did you mean `{step}`?", .step.name())]
    Elsewhere {
        /// Step with this name.
        step: Step,
    },
}

impl Step {
    /// Parses a text such as `received.walk_in_test.ordered`.
    ///
    /// # Errors
    /// If the text is not a step, with the invalid part and the nearest name.
    pub fn parse(text: &str) -> Result<Self, ParseStepError> {
        let parts: Vec<_> = text.split('.').collect();
        let [status, method, name] = parts[..] else {
            return Err(ParseStepError::Parts { parts: parts.len() });
        };
        let status = OrderStatus::from_name(status).ok_or_else(|| ParseStepError::Status {
            hint: hint(status, OrderStatus::ALL.map(OrderStatus::as_str)),
        })?;
        let method = CollectionMethod::from_name(method).ok_or_else(|| ParseStepError::Method {
            hint: hint(method, CollectionMethod::ALL.map(CollectionMethod::as_str)),
        })?;
        match Self::of(method, name) {
            Some(step) if step.status() == status => Ok(step),
            Some(step) => Err(ParseStepError::Elsewhere { step }),
            None => {
                let known = Self::all(method).filter(|step| step.status() == status);
                let known: Vec<_> = known.map(Self::name).collect();
                let hint = if known.is_empty() {
                    format!("`{method}` has no step of this status")
                } else {
                    hint(name, known)
                };
                Err(ParseStepError::Step { status, method, hint })
            }
        }
    }
}

impl FromStr for Step {
    type Err = ParseStepError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}
