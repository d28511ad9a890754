//! Notices that simulated providers send, and their signatures.

use hmac::{Hmac, KeyInit, Mac};
use reqwest::Client;
use reqwest::redirect::Policy;
use sha2::Sha256;

/// Returns a client that follows no redirects, as providers do.
pub(crate) fn client() -> Option<Client> {
    Client::builder().redirect(Policy::none()).build().ok()
}

/// Sends a JSON notice with some headers to a URL, once, and returns the status of the response. None if there is none.
pub(crate) async fn send(url: &str, headers: &[(&str, String)], body: String) -> Option<u16> {
    let mut request = client()?.post(url).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let response = request.body(body).send().await.ok()?;
    Some(response.status().as_u16())
}

/// Returns the HMAC-SHA256 of the parts of a message.
pub(crate) fn hmac_sha256(secret: &str, message: &[&str]) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    message.iter().for_each(|part| mac.update(part.as_bytes()));
    Some(mac.finalize().into_bytes().to_vec())
}
