//! HTTP client that connects only where a policy allows.

use std::sync::Arc;

use reqwest::ClientBuilder;

use super::Policy;
use super::resolver::Resolver;
use crate::http;

/// Builder of an HTTP client that connects only where a policy allows, and follows no redirects. It trusts
/// `extra_roots`, each as PEM, besides the certificates of the system.
///
/// It is for URLs that [were checked](Policy::check_url): the policy applies to names when they are resolved, not to IP
/// addresses in URLs.
///
/// # Errors
///
/// If a certificate cannot be read.
pub fn client(policy: &Policy, extra_roots: &[Vec<u8>]) -> reqwest::Result<ClientBuilder> {
    let builder = http::client(extra_roots)?
        // A proxy would resolve names itself, and reach networks that are not allowed.
        .no_proxy()
        .dns_resolver(Resolver(Arc::new(policy.clone())));
    Ok(builder)
}
