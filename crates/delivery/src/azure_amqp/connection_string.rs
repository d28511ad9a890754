//! Connection strings as Azure writes them: `Name=value;Name=value`.

/// What `wearlab` shows in place of a key.
const MASK: &str = "****";

/// The parts of a connection string.
pub(super) struct ConnectionString<'a>(Vec<(&'a str, &'a str)>);

impl<'a> ConnectionString<'a> {
    /// The parts of `text`. The reason of a failure quotes nothing of it.
    pub(super) fn parse(text: &'a str) -> Result<Self, &'static str> {
        let mut parts: Vec<(&str, &str)> = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            // A value may hold the sign itself, as keys in Base64 do.
            let (name, value) = part
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .ok_or(
                    "must have parts of the form Name=value, separated by semicolons, as the Azure portal shows them",
                )?;
            if parts.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err("names a part twice");
            }
            if value.contains(MASK) {
                return Err("has a masked key: give the key itself");
            }
            parts.push((name, value));
        }
        Ok(Self(parts))
    }

    /// The value of a part, where it has one.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let part = self.0.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        part.map(|(_, value)| *value).filter(|value| !value.is_empty())
    }

    /// Whether a part says `true`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
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
    }

    #[test]
    fn what_is_none_is_refused_without_being_quoted() {
        for text in [
            "hunter2",
            "Endpoint=sb://a/;hunter2",
            "A=hunter2;a=hunter2",
            "SharedAccessKey=****;A=hunter2",
        ] {
            let reason = ConnectionString::parse(text).err().expect(text);
            assert!(!reason.contains("hunter2"), "{reason}");
        }
    }
}
