//! Redirect URLs that link tokens of a team may name.

use wearlab_linking::check_redirect_url;
use wearlab_models::RedirectUrlList;
use wearlab_server::ApiError;

use super::write::invalid;

/// Fails unless each URL is valid and unique.
pub(super) fn check(urls: &[String]) -> Result<(), ApiError> {
    for (at, url) in urls.iter().enumerate() {
        let location = format!("/body/redirect_urls/{at}");
        check_redirect_url(url).map_err(|message| invalid(&location, "invalid", message))?;
        if urls[..at].contains(url) {
            return Err(invalid(&location, "invalid", "is in the list already"));
        }
    }
    Ok(())
}

/// Creates the response with these URLs.
pub(super) fn list(urls: Vec<String>) -> RedirectUrlList {
    RedirectUrlList::builder().redirect_urls(urls).build()
}
