//! Clients of providers.

/// Returns a client of a provider's document for the data of one user. The queue repeats what fails, so the client does not.
macro_rules! client {
    ($session:expr, $document:ident, $url:expr, $max_response_bytes:expr) => {
        $document::builder()
            .http_client($session.http.clone())
            .base_url($session.base_url.as_deref().unwrap_or($url))
            .access_token($session.access_token.expose())
            .retry(wearlab_kit_client::RetryPolicy::none())
            .max_response_bytes($max_response_bytes)
            .build()
    };
}

pub(crate) use client;
