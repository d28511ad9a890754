//! Positions of next pages, from the responses of third-party services.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use reqwest::header::{HeaderMap, LINK};
use serde::Serialize;
pub use wearlab_kit_types::codegen::next_cursor as cursor;

use crate::Error;

/// The position in the URL of the next page, or the position itself. Null and an empty text are the end.
///
/// # Errors
///
/// [`Error::Paging`] if a URL lacks the parameter, or its value has another form.
pub fn in_url<P: FromStr>(next: Option<&str>, parameter: &str) -> Result<Option<P>, Error> {
    let Some(next) = next.filter(|next| !next.is_empty()) else {
        return Ok(None);
    };
    let value = match query_value(next, parameter) {
        Some(value) => value,
        None if next.starts_with("http://") || next.starts_with("https://") => return Err(Error::Paging),
        None => next.to_owned(),
    };
    value.parse().map(Some).map_err(|_| Error::Paging)
}

/// The position in the URL of the relation `next` of the headers `Link`. Without one, the list is at its end.
///
/// # Errors
///
/// As for [`in_url`].
pub fn in_link<P: FromStr>(headers: &HeaderMap, parameter: &str) -> Result<Option<P>, Error> {
    let values = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    let Some(url) = values.filter_map(next_of).next() else {
        return Ok(None);
    };
    let value = query_value(url, parameter).ok_or(Error::Paging)?;
    value.parse().map(Some).map_err(|_| Error::Paging)
}

/// The number of the next page or item, as the service has it. Null, zero and negative numbers are the end.
///
/// # Errors
///
/// [`Error::Paging`] if it does not fit into the parameter.
pub fn number<P: TryFrom<i64>>(next: Option<i64>) -> Result<Option<P>, Error> {
    let next = next.filter(|next| *next > 0).map(P::try_from);
    next.transpose().map_err(|_| Error::Paging)
}

/// The offset after a page with so many items. A page without items is the last one, and so is that of the last item.
///
/// # Errors
///
/// [`Error::Paging`] if the offset does not fit into the parameter.
pub fn offset<P: TryFrom<i64>>(here: i64, items: usize, total: Option<i64>) -> Result<Option<P>, Error> {
    let next = i64::try_from(items).ok().and_then(|items| here.checked_add(items));
    let next = next.ok_or(Error::Paging)?;
    let is_last = items == 0 || total.is_some_and(|total| total > 0 && next >= total);
    number((!is_last).then_some(next))
}

/// The number after a page's. A page without items is the last one, and so is that of the last number.
///
/// # Errors
///
/// [`Error::Paging`] if the number does not fit into the parameter.
pub fn page<P: TryFrom<i64>>(here: i64, items: usize, last: Option<i64>) -> Result<Option<P>, Error> {
    let is_last = items == 0 || last.is_some_and(|last| last > 0 && here >= last);
    let next = here.checked_add(1).ok_or(Error::Paging)?;
    number((!is_last).then_some(next))
}

/// A hash of a page. A service that ignores the position of a page sends the same one again.
pub fn fingerprint<P: Serialize>(page: &P) -> Option<u64> {
    let mut hash = Hash(DefaultHasher::new());
    serde_json::to_writer(&mut hash, page).ok()?;
    Some(hash.0.finish())
}

struct Hash(DefaultHasher);

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The decoded value of a parameter in the query of a URL.
fn query_value(url: &str, parameter: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let query = query.split_once('#').map_or(query, |(query, _)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8().ok().map(String::from)
    };
    pairs
        .filter(|(name, _)| decoded(name).as_deref() == Some(parameter))
        .find_map(|(_, value)| decoded(value))
}

/// The URL of the relation `next` in a header `Link`: `<https://...>; rel="next", <https://...>; rel="last"`.
fn next_of(link: &str) -> Option<&str> {
    let mut rest = link;
    while let Some((_, begun)) = rest.split_once('<') {
        let (url, after) = begun.split_once('>')?;
        let parameters = after.split_once('<').map_or(after, |(parameters, _)| parameters);
        let is_next = parameters.split([';', ',']).any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            let mut relations = value.trim().trim_matches('"').split_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && relations.any(|relation| relation.eq_ignore_ascii_case("next"))
        });
        if is_next {
            return Some(url);
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue, LINK};

    use super::{cursor, fingerprint, in_link, in_url, number, offset, page};

    #[test]
    fn positions_are_those_of_urls() {
        let url = "https://api.example.com/pets?limit=2&page%5Bafter%5D=a%2Bb%3D#top";
        assert_eq!(
            in_url(Some(url), "page[after]").expect("a position"),
            Some("a+b=".to_owned())
        );
        assert_eq!(in_url(Some("/pets?page=3"), "page").expect("a position"), Some(3));
        assert_eq!(
            in_url(Some("eyJ/=="), "cursor").expect("a position"),
            Some("eyJ/==".to_owned())
        );
        assert_eq!(in_url::<String>(None, "page").expect("the end"), None);
        assert_eq!(in_url::<String>(Some(""), "page").expect("the end"), None);
        in_url::<String>(Some(url), "cursor").expect_err("a URL without the parameter");
        in_url::<i64>(Some("/pets?page=last"), "page").expect_err("not a number");
    }

    #[test]
    fn positions_are_those_of_links() {
        let headers = |text: &str| HeaderMap::from_iter([(LINK, HeaderValue::from_str(text).expect("a header"))]);
        let first = r#"<https://a.test/r?page=2&x=,>; rel="next", <https://a.test/r?page=9>; rel="last""#;
        assert_eq!(in_link(&headers(first), "page").expect("a position"), Some(2));
        let last = r#"<https://a.test/r?page=8>; rel="prev", <https://a.test/r?page=1>; rel="first""#;
        assert_eq!(in_link::<i64>(&headers(last), "page").expect("the end"), None);
        let other = r#"<https://a.test/r?page=8>; title="x"; rel=next"#;
        assert_eq!(in_link(&headers(other), "page").expect("a position"), Some(8));
        assert_eq!(in_link::<i64>(&HeaderMap::new(), "page").expect("the end"), None);
        in_link::<i64>(&headers(first), "after").expect_err("a link without the parameter");
    }

    #[test]
    fn counts_end_with_the_list() {
        assert_eq!(offset::<i32>(0, 50, None).expect("an offset"), Some(50));
        assert_eq!(offset::<i32>(50, 0, None).expect("the end"), None);
        assert_eq!(offset::<i32>(0, 50, Some(50)).expect("the end"), None);
        assert_eq!(
            offset::<i32>(0, 50, Some(0)).expect("a service that does not count"),
            Some(50)
        );
        offset::<u8>(250, 50, None).expect_err("beyond the type");
        assert_eq!(page::<i64>(1, 10, None).expect("a number"), Some(2));
        assert_eq!(page::<i64>(2, 10, Some(2)).expect("the end"), None);
        assert_eq!(page::<i64>(0, 10, None).expect("a number"), Some(1));
        assert_eq!(number::<i64>(Some(0)).expect("the end"), None);
        assert_eq!(number(Some(4)).expect("a number"), Some(4));
        assert_eq!(cursor(Some("")), None);
        assert_ne!(fingerprint(&[1, 2]), fingerprint(&[1, 3]));
        assert_eq!(fingerprint(&[1, 2]), fingerprint(&[1, 2]));
    }
}
