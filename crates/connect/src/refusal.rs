//! Reasons why a provider gives no data.

use std::collections::HashSet;
use std::time::Duration;

use wearlab_kit_client::Error;

/// Maximum number of pages of one list. A provider that returns more returns them without end.
const MAX_PAGES: usize = 10_000;

/// Reason why a provider gives no data. It does not show values or tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The provider limits requests: all tasks of the client wait for this time.
    #[error("the provider limits requests")]
    Limited(Duration),
    /// The provider is not available: the task is repeated, not before the time that it names.
    #[error("the provider does not respond now")]
    Later(Option<Duration>),
    /// The access token is not accepted.
    #[error("the provider does not accept the access token")]
    Unauthorized,
    /// The user must act at the provider, such as renew a permission or a membership.
    #[error("the provider does not permit it to this user")]
    Forbidden,
    /// The object does not exist, or not yet.
    #[error("the provider does not have it")]
    NotFound,
    /// The organisation has a client of its own at the provider: its connections are not pulled here.
    #[error("the organisation has a client of its own")]
    OwnClient,
    /// The connection is paused.
    #[error("the connection is paused")]
    Paused,
    /// The provider rejects the request, or its response cannot be read: an error of the connector or of its settings.
    #[error("{0}")]
    Failed(String),
}

impl Refusal {
    /// Returns the code of the reason in the store.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Limited(_) => "rate_limited",
            Self::Later(None) => "provider_unavailable",
            Self::Later(Some(_)) => "retry_after",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::OwnClient => "own_client",
            Self::Paused => "paused",
            Self::Failed(_) => "failed",
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match &error {
            Error::Unauthorized(_) => Self::Unauthorized,
            Error::Forbidden(_) => Self::Forbidden,
            Error::NotFound(_) => Self::NotFound,
            Error::RateLimited(failure) => Self::Limited(failure.retry_after().unwrap_or(Duration::from_secs(60))),
            Error::Server(failure) => Self::Later(failure.retry_after()),
            Error::Timeout(_) | Error::Transport(_) => Self::Later(None),
            // The message of the others has the path in the response, or the status, and never a value.
            Error::Decoding { .. } | Error::TooLarge { .. } | Error::Paging | Error::Header { .. } => {
                Self::Failed(error.to_string())
            }
            _ => match error.status() {
                Some(status) => Self::Failed(format!(
                    "the provider rejects the request with status {}",
                    status.as_u16()
                )),
                None => Self::Failed("the request cannot be sent".to_owned()),
            },
        }
    }
}

/// Returns what the provider has. None if it does not have it, or not yet.
///
/// # Errors
///
/// Other refusals than [`Refusal::NotFound`].
pub fn found<T>(reply: Result<T, Refusal>) -> Result<Option<T>, Refusal> {
    match reply {
        Ok(value) => Ok(Some(value)),
        Err(Refusal::NotFound) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Reads all pages of a list. `page` gets the token of a page, none for the first, and returns its items and the token of
/// the next one.
///
/// # Errors
///
/// The refusal of a page; [`Refusal::Failed`] if a token is repeated, or there are more than 10,000 pages.
pub async fn pages<T, F>(mut page: impl FnMut(Option<String>) -> F) -> Result<Vec<T>, Refusal>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), Refusal>>,
{
    let (mut items, mut seen, mut token) = (Vec::new(), HashSet::new(), None);
    for _ in 0..MAX_PAGES {
        let (more, next) = page(token).await?;
        items.extend(more);
        match next.filter(|next| !next.is_empty()) {
            None => return Ok(items),
            Some(next) if !seen.insert(next.clone()) => {
                return Err(Refusal::Failed("the provider repeats the token of a page".to_owned()));
            }
            next => token = next,
        }
    }
    Err(Refusal::Failed(format!(
        "the provider returns more than {MAX_PAGES} pages"
    )))
}

#[cfg(test)]
mod tests {
    use super::{Refusal, pages};

    #[tokio::test]
    async fn pages_are_read_to_the_last() {
        let read = pages(|token| async move {
            Ok(match token.as_deref() {
                None => (vec![1, 2], Some("a".to_owned())),
                Some("a") => (vec![], Some("b".to_owned())),
                _ => (vec![3], Some(String::new())),
            })
        });
        assert_eq!(read.await, Ok(vec![1, 2, 3]));
    }

    #[tokio::test]
    async fn a_repeated_token_ends_the_list() {
        let mut requests = 0;
        let read = pages(|token| {
            requests += 1;
            async move {
                let next = if token.as_deref() == Some("a") { "b" } else { "a" };
                Ok((vec![()], Some(next.to_owned())))
            }
        });
        assert!(matches!(read.await, Err(Refusal::Failed(_))));
        assert_eq!(requests, 3);
    }
}
