//! Configurable word in the header names of credentials.

use std::borrow::Cow;
use std::sync::Arc;

/// Prefix of the document's header names, in lower case.
const DOCUMENTED: &str = "x-service-";

/// The word of the document in that place.
const DOCUMENTED_WORD: &str = "service";

/// The word that stands for `service` in header names such as `x-service-api-key`; by default `service` itself.
///
/// Put it on a router as `axum::Extension(prefix)`: where it is `acme`, credentials are read from `x-acme-api-key`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderPrefix(Option<Arc<str>>);

/// The word cannot be part of a header name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 32 lower-case letters, digits and inner hyphens")]
pub struct InvalidPrefix;

impl HeaderPrefix {
    /// A prefix, unless it cannot be part of a header name.
    ///
    /// # Errors
    ///
    /// If the word is not 1 to 32 lower-case letters, digits and inner hyphens.
    pub fn new(word: &str) -> Result<Self, InvalidPrefix> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let good = (1..=32).contains(&word.len()) && word.bytes().all(plain);
        if good && !word.starts_with('-') && !word.ends_with('-') {
            Ok(Self((word != DOCUMENTED_WORD).then(|| word.into())))
        } else {
            Err(InvalidPrefix)
        }
    }

    /// The name of a header in this service, by its name in the document in lower case.
    pub fn name(&self, documented: &'static str) -> Cow<'static, str> {
        match (&self.0, documented.strip_prefix(DOCUMENTED)) {
            (Some(word), Some(rest)) => Cow::Owned(format!("x-{word}-{rest}")),
            _ => Cow::Borrowed(documented),
        }
    }

    /// The word itself.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or(DOCUMENTED_WORD)
    }

    /// Returns whether the names are those of the document.
    pub fn is_documented(&self) -> bool {
        self.0.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::HeaderPrefix;

    #[test]
    fn only_the_documents_prefix_is_replaced() {
        let prefix = HeaderPrefix::new("acme-2").expect("a prefix");
        assert_eq!(prefix.name("x-service-api-key"), "x-acme-2-api-key");
        assert_eq!(prefix.name("x-management-key"), "x-management-key");
        assert_eq!(HeaderPrefix::default().name("x-service-api-key"), "x-service-api-key");
        for word in ["", "-", "a-", "-a", "A", "a b", "a:", "é", &"a".repeat(33)] {
            assert!(HeaderPrefix::new(word).is_err(), "{word}");
        }
    }
}
