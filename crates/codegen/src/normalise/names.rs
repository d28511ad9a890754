//! Rust names for parts of third-party documents, with numbers after duplicates.

use std::collections::HashSet;

use heck::{ToSnakeCase, ToUpperCamelCase};

use crate::identifier::is_identifier;

/// The names of one scope.
#[derive(Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    /// A free name: the wanted one, or that with a number.
    pub(super) fn free(&mut self, wanted: &str) -> String {
        let numbered = (2_u32..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        // Types that only differ in case would be one file or module.
        let name = names.find(|name| !self.0.contains(&name.to_lowercase()));
        let name = name.unwrap_or_default();
        self.0.insert(name.to_lowercase());
        name
    }
}

/// A type name.
pub(super) fn type_name(text: &str) -> String {
    let name = spelled(text).to_upper_camel_case();
    match name.as_str() {
        "" => "Value".to_owned(),
        name if is_identifier(name) => name.to_owned(),
        name => format!("X{name}").to_upper_camel_case(),
    }
}

/// A method or module name.
pub(super) fn snake_name(text: &str) -> String {
    let name = spelled(text).to_snake_case();
    let camel = name.to_upper_camel_case();
    match name.as_str() {
        "" => "other".to_owned(),
        name if is_identifier(name) && is_identifier(&camel) => name.to_owned(),
        name => format!("x_{name}"),
    }
}

/// A text with letters and digits alone: `+1` and `-1` differ.
fn spelled(text: &str) -> String {
    let mut out = String::new();
    for (index, c) in text.chars().enumerate() {
        match c {
            '+' => out.push_str(" plus "),
            '-' if index == 0 => out.push_str(" minus "),
            '\'' | '\u{2019}' => {}
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ => out.push(' '),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Taken, snake_name, type_name};

    #[test]
    fn names_are_derived_and_free() {
        assert_eq!(type_name("full-repository"), "FullRepository");
        assert_eq!(type_name("io.k8s.api.v1"), "IoK8sApiV1");
        assert_eq!(type_name("3d model"), "X3dModel");
        assert_eq!(type_name("Self"), "XSelf");
        assert_eq!(snake_name("repos/list-for-user"), "repos_list_for_user");
        assert_eq!(snake_name("type"), "x_type");
        let mut taken = Taken::default();
        assert_eq!(taken.free("User"), "User");
        assert_eq!(taken.free("USER"), "USER2");
    }
}
