//! Query strings.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The values of a name in a query string. None for a value that is not UTF-8.
pub(crate) fn pairs<'q>(query: &'q str, name: &'q str) -> impl Iterator<Item = Option<Cow<'q, str>>> {
    raw(query)
        .filter(move |(key, _)| decode(key).is_some_and(|key| key == name))
        .map(|(_, value)| decode(value))
}

/// The names and values of a query string, as they were sent.
pub(crate) fn raw(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// The text of a name or a value. None if it is not UTF-8.
pub(crate) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('+') {
        return percent_decode_str(text).decode_utf8().ok();
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}
