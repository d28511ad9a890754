//! Bodies of errors that the service chooses, in place of problem documents.

use std::fmt;
use std::sync::Arc;

use super::ApiError;

type Map = dyn Fn(&ApiError) -> Option<ApiError> + Send + Sync;

/// Replaces the errors of a router, such as those of invalid requests, by errors with a body of the document.
///
/// A generated server sends problem documents. Where the document declares other errors, add this to its router as an
/// `axum::Extension`. The function returns the error to send, such as one by [`ApiError::with_body`] or that of an
/// operation; an error for which it returns `None` stays as it is, and so does one that already has a body, as those of
/// operations do.
#[derive(Clone)]
pub struct MapError(Arc<Map>);

impl MapError {
    /// Wraps a function that returns the error to send. [`ApiError::violations`] has the reasons of a 422.
    pub fn new(map: impl Fn(&ApiError) -> Option<ApiError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(map))
    }

    /// The error to send.
    pub(crate) fn apply(&self, error: ApiError) -> ApiError {
        let mapped = match error.body() {
            Some(_) => None,
            None => (self.0)(&error),
        };
        let Some(mut mapped) = mapped else { return error };
        mapped.retry_after = mapped.retry_after.or(error.retry_after);
        if let Some(own) = error.own {
            mapped.own.get_or_insert_default().headers.extend(own.headers);
        }
        mapped
    }
}

impl fmt::Debug for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MapError(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ApiError, MapError};

    #[test]
    fn an_error_without_a_body_is_mapped() {
        let map = MapError::new(|error| {
            let status = error.status().as_u16();
            (status != 404).then(|| ApiError::with_body(400, "application/json", &error.to_string()))
        });
        let invalid = map.apply(ApiError::invalid(Vec::new()).with_header("x-hint", "a"));
        assert_eq!(invalid.status.as_u16(), 400);
        assert!(invalid.body().is_some());
        let headers = invalid.own.map(|own| own.headers).unwrap_or_default();
        assert_eq!(headers["x-hint"], "a");
        let busy = map.apply(ApiError::too_many_requests(Duration::from_secs(7)));
        assert_eq!(busy.retry_after, Some(Duration::from_secs(7)));
        assert_eq!(map.apply(ApiError::not_found("-")).status.as_u16(), 404);
        let own = map.apply(ApiError::with_body(409, "application/json", &1));
        assert_eq!(own.status.as_u16(), 409);
    }
}
