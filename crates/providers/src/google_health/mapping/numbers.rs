//! Numbers, which may be texts.

use wearlab_connect::Refusal;

/// Parses a whole number.
pub(super) fn whole(text: &str) -> Result<i64, Refusal> {
    let number = text.parse();
    number.map_err(|_| Refusal::Failed("a text is not a whole number".to_owned()))
}

/// Parses a whole number that may be absent.
pub(super) fn optional(text: Option<&str>) -> Result<Option<i64>, Refusal> {
    text.map(whole).transpose()
}

/// Parses a duration, such as `1900s`, in s.
pub(super) fn seconds(text: Option<&str>) -> Result<Option<i64>, Refusal> {
    let parse = |text: &str| {
        let number = text.strip_suffix('s').and_then(|number| number.parse::<f64>().ok());
        let number = number.ok_or_else(|| Refusal::Failed("a text is not a duration".to_owned()))?;
        Ok(number.round() as i64)
    };
    text.map(parse).transpose()
}

/// Converts thousandths, such as mm or g.
pub(super) fn thousandths(value: f64) -> f64 {
    value / 1_000.0
}
