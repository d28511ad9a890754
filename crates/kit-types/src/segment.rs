//! Segments of paths that have text beside parameters, such as `report.{format}` and `{from}-{to}`.

#![doc(hidden)]
/// A part of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    Text(&'t str),
    Parameter(&'t str),
}

/// The parts of a template. Between two parameters there is a text.
pub fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((text, (name, after))) = parameter(rest) {
        pieces.extend((!text.is_empty()).then_some(Piece::Text(text)));
        pieces.push(Piece::Parameter(name));
        rest = after;
    }
    pieces.extend((!rest.is_empty()).then_some(Piece::Text(rest)));
    pieces
}

/// The text before the next parameter, its name, and the rest.
fn parameter(template: &str) -> Option<(&str, (&str, &str))> {
    let (text, rest) = template.split_once('{')?;
    Some((text, rest.split_once('}')?))
}

/// The values of the parameters of a segment. None if it does not match. A value ends where the text behind its
/// parameter begins; the last one has all the rest. Values are not empty.
pub fn split<'t>(template: &'t str, segment: &str) -> Option<Vec<(&'t str, String)>> {
    let mut pieces = pieces(template);
    let mut rest = segment;
    if let Some(Piece::Text(end)) = pieces.last().copied()
        && pieces.len() > 1
    {
        rest = rest.strip_suffix(end)?;
        pieces.pop();
    }
    let mut values = Vec::new();
    let mut name = None;
    for piece in pieces {
        match (piece, name) {
            (Piece::Text(text), None) => rest = rest.strip_prefix(text)?,
            (Piece::Text(text), Some(parameter)) => {
                let (value, after) = rest.split_once(text)?;
                values.push((parameter, value.to_owned()));
                (name, rest) = (None, after);
            }
            (Piece::Parameter(parameter), _) => name = Some(parameter),
        }
    }
    match name {
        Some(parameter) => values.push((parameter, rest.to_owned())),
        None if rest.is_empty() => {}
        None => return None,
    }
    values.iter().all(|(_, value)| !value.is_empty()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn segments_are_split_at_their_texts() {
        let cases = [
            ("{id}", "a-b", Some("id=a-b")),
            ("report.{format}", "report.csv", Some("format=csv")),
            ("report.{format}", "other.csv", None),
            ("report.{format}", "report.", None),
            ("{id}.json", "a.json.json", Some("id=a.json")),
            ("{id}.json", "a.xml", None),
            ("{a}-{b}", "x-y-z", Some("a=x b=y-z")),
            ("{a}-{b}", "x", None),
            ("v{a}.{b}.tar", "v1.2.3.tar", Some("a=1 b=2.3")),
            ("text", "text", Some("")),
            ("text", "texts", None),
        ];
        for (template, segment, wanted) in cases {
            let values = split(template, segment).map(|values| {
                let values = values.iter().map(|(name, value)| format!("{name}={value}"));
                values.collect::<Vec<_>>().join(" ")
            });
            assert_eq!(values.as_deref(), wanted, "{template} {segment}");
        }
    }
}
