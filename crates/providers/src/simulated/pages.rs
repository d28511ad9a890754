//! Pages of lists.

use wearlab_kit_server::ApiError;

/// Returns a page of items, and the token of the next one, which is the number of the items before.
///
/// # Errors
///
/// 400 for a token that is not a number.
pub fn page<'a, T: Clone + 'a>(
    items: impl Iterator<Item = &'a T>,
    token: Option<&str>,
    size: usize,
) -> Result<(Vec<T>, Option<String>), ApiError> {
    let before = match token {
        Some(token) => token
            .parse()
            .map_err(|_| ApiError::bad_request("the token of the page is not one that the API returned"))?,
        None => 0,
    };
    let mut rest = items.skip(before);
    let items: Vec<T> = rest.by_ref().take(size).cloned().collect();
    let next = rest.next().map(|_| (before + items.len()).to_string());
    Ok((items, next))
}
