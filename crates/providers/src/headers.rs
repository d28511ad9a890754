//! Headers of limits with a number for each of two windows, such as `100,1000`.

use http::HeaderMap;

/// Reads a header with two numbers. None if it is missing, or has another form.
pub(crate) fn two_numbers(headers: &HeaderMap, name: &str) -> Option<[u32; 2]> {
    let (short, long) = headers.get(name)?.to_str().ok()?.split_once(',')?;
    Some([short.trim().parse().ok()?, long.trim().parse().ok()?])
}
