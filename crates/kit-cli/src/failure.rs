//! Errors of a command, and their exit codes.

use std::io;

use wearlab_kit_client::Error;

/// The result of a command.
pub type Outcome = Result<(), Failure>;

/// The exit code of invalid arguments.
pub const USAGE: u8 = 2;

/// The exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  other errors, such as an unexpected status
  2  invalid arguments or a missing key: nothing was sent
  3  invalid parameters
  4  unauthorized, or forbidden to the key
  5  not found
  6  rate limited
  7  server error
  8  connection failed or timed out
  9  invalid response
  10 conflict: something is in the way, or changed since it was read";

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The call failed.
    #[error(transparent)]
    Call(#[from] Error),
    /// Standard output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// Invalid arguments: nothing was sent.
    #[error("{0}")]
    Usage(String),
    /// The response has none of the columns.
    #[error("{0}")]
    Columns(String),
}

impl Failure {
    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Call(Error::InvalidRequest(_)) => USAGE,
            // Closed early, as by `head`.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Call(Error::Invalid(_)) => 3,
            Self::Call(Error::Unauthorized(_) | Error::Forbidden(_)) => 4,
            Self::Call(Error::NotFound(_)) => 5,
            Self::Call(Error::RateLimited(_)) => 6,
            Self::Call(Error::Server(_)) => 7,
            Self::Call(Error::Timeout(_) | Error::Transport(_)) => 8,
            Self::Call(Error::Decoding { .. } | Error::Header { .. } | Error::TooLarge { .. } | Error::Paging) => 9,
            Self::Call(Error::Conflict(_) | Error::PreconditionFailed(_)) => 10,
            Self::Call(_) | Self::Output(_) | Self::Columns(_) => 1,
        }
    }

    /// The message: one line with the causes.
    pub fn line(&self) -> String {
        let causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        let mut parts = vec![self.to_string()];
        for cause in causes.map(ToString::to_string) {
            if parts.last().is_some_and(|last| !last.ends_with(&cause)) {
                parts.push(cause);
            }
        }
        let mut text = match self {
            // The client names its own setting.
            Self::Call(Error::TooLarge { limit, .. }) => {
                format!(
                    "the response is longer than {limit} bytes: ask for less at once, or raise --max-response-bytes"
                )
            }
            _ => parts.join(": "),
        };
        if let Self::Call(error) = self
            && let Some(wait) = error.failure().and_then(|failure| failure.retry_after())
        {
            text.push_str(&format!("; retry after {} s", wait.as_secs()));
        }
        if let Self::Call(
            Error::Decoding {
                request_id: Some(id), ..
            }
            | Error::TooLarge {
                request_id: Some(id), ..
            },
        ) = self
        {
            text.push_str(&format!(" (request {id})"));
        }
        one_line(&text)
    }

    /// Returns whether there was no response.
    pub(crate) fn is_unreached(&self) -> bool {
        matches!(self, Self::Call(Error::Timeout(_) | Error::Transport(_)))
    }
}

/// A text without control characters: texts of the service may contain anything.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
