//! Connection strings as Azure writes them: `Name=value;Name=value`. Names are case-insensitive.

use wearlab_models::MASK;

/// The parts of a connection string.
pub(super) struct ConnectionString<'a>(Vec<(&'a str, &'a str)>);

/// Iterates over the parts of a text, each with its name and value, or whole if it has no name. A value may contain
/// `=`.
fn parts(text: &str) -> impl Iterator<Item = Result<(&str, &str), &str>> {
    text.split(';').map(|part| part.split_once('=').ok_or(part))
}

impl<'a> ConnectionString<'a> {
    /// Parses a connection string. An error quotes nothing of it.
    pub(super) fn parse(text: &'a str) -> Result<Self, &'static str> {
        let mut named: Vec<(&str, &str)> = Vec::new();
        for part in parts(text) {
            let (name, value) = match part {
                Ok((name, value)) => (name.trim(), value.trim()),
                Err(rest) if rest.trim().is_empty() => continue,
                Err(_) => {
                    return Err("is not a connection string (Name=value;Name=value); copy it from the Azure portal");
                }
            };
            if named.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err("has the same part twice");
            }
            named.push((name, value));
        }
        Ok(Self(named))
    }

    /// The value of a part, unless it is empty.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let part = self.0.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        part.map(|(_, value)| *value).filter(|value| !value.is_empty())
    }

    /// Returns whether a part is `true`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// Returns whether a secret in it is only the mask of one.
    pub(super) fn is_masked(&self) -> bool {
        self.0.iter().any(|(_, value)| value.contains(MASK))
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectionString;

    #[test]
    fn parts_are_found_by_their_names() {
        let text = " Endpoint = sb://a/ ;sharedaccesskey=ab+c==;;Empty=;UseDevelopmentEmulator=TRUE;";
        let parts = ConnectionString::parse(text).expect("parts");
        assert_eq!(parts.get("Endpoint"), Some("sb://a/"));
        assert_eq!(parts.get("SharedAccessKey"), Some("ab+c=="));
        assert_eq!(parts.get("Empty"), None);
        assert_eq!(parts.get("Other"), None);
        assert!(parts.is_set("UseDevelopmentEmulator"));
        assert!(!parts.is_set("Endpoint"));
        assert!(!parts.is_masked());
    }

    #[test]
    fn errors_quote_nothing() {
        for text in ["hunter2", "Endpoint=sb://a/;hunter2", "A=hunter2;a=hunter2"] {
            let reason = ConnectionString::parse(text).err().expect(text);
            assert!(!reason.contains("hunter2"), "{reason}");
        }
        let masked = ConnectionString::parse("SharedAccessKey=****;A=hunter2");
        assert!(masked.is_ok_and(|masked| masked.is_masked()));
    }
}
