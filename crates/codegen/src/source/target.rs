//! The target of a `$ref`: a file beside the root, and a pointer into it.

use serde_json::Value;

/// Maximum number of references that are followed.
const DEPTH: usize = 16;

/// The object itself, or the one in the same document that it refers to, also over several references.
pub(crate) fn target<'v>(root: &'v Value, value: &'v Value) -> &'v Value {
    let mut found = value;
    for _ in 0..DEPTH {
        let pointer = found["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        match pointer.and_then(|pointer| root.pointer(pointer)) {
            Some(next) => found = next,
            None => break,
        }
    }
    found
}

/// A target, as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The file, relative to the directory of the root; `None` for the file that holds the reference.
    pub(super) file: Option<String>,
    pub(super) pointer: String,
}

/// Reason for an unreadable target.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outside {
    /// A URL.
    Url,
    /// A file outside the directory of the root.
    Directory,
    /// The text behind `#` is not a JSON pointer.
    Fragment,
}

/// Reads the target of a reference in `holder`, a file relative to the directory of the root.
pub(super) fn read(target: &str, holder: &str) -> Result<Target, Outside> {
    let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
    let pointer = decoded(fragment);
    if !(pointer.is_empty() || pointer.starts_with('/')) {
        return Err(Outside::Fragment);
    }
    if file.is_empty() {
        return Ok(Target { file: None, pointer });
    }
    if file.contains("://") || file.starts_with("urn:") {
        return Err(Outside::Url);
    }
    let file = decoded(file);
    if file.starts_with('/') || file.contains(['\\', '\0', ':']) {
        return Err(Outside::Directory);
    }
    let mut steps: Vec<&str> = holder.split('/').collect();
    steps.pop();
    for step in file.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop().ok_or(Outside::Directory)?),
            step => steps.push(step),
        }
    }
    Ok(Target {
        file: Some(steps.join("/")),
        pointer,
    })
}

/// Decodes percent-encoded text; a result that is not UTF-8 stays encoded.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Outside, Target, read};

    #[test]
    fn files_are_relative_to_the_one_that_refers_to_them() {
        let file = |target, holder| read(target, holder).map(|target| target.file.unwrap_or_default());
        assert_eq!(file("users.yaml#/User", "openapi.yaml"), Ok("users.yaml".to_owned()));
        assert_eq!(file("./a%20b.yaml", "parts/c.yaml"), Ok("parts/a b.yaml".to_owned()));
        assert_eq!(file("../openapi.yaml", "parts/c.yaml"), Ok("openapi.yaml".to_owned()));
        assert_eq!(file("parts/../a.yaml", "c.yaml"), Ok("a.yaml".to_owned()));
        assert_eq!(file("../a.yaml", "c.yaml"), Err(Outside::Directory));
        assert_eq!(file("parts/../../a.yaml", "c.yaml"), Err(Outside::Directory));
        assert_eq!(file("..%2fa.yaml", "c.yaml"), Err(Outside::Directory));
        assert_eq!(file("/etc/a.yaml", "c.yaml"), Err(Outside::Directory));
        assert_eq!(file("C:\\a.yaml", "c.yaml"), Err(Outside::Directory));
        assert_eq!(file("https://example.com/a.yaml", "c.yaml"), Err(Outside::Url));
        assert_eq!(file("a.yaml#User", "c.yaml"), Err(Outside::Fragment));
    }

    #[test]
    fn a_pointer_may_be_percent_encoded() {
        let target = Target {
            file: None,
            pointer: "/paths/~1a~1{b}".to_owned(),
        };
        assert_eq!(read("#/paths/~1a~1%7Bb%7D", "openapi.yaml"), Ok(target));
    }
}
