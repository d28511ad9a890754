//! Names of tags, which become modules.

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::super::reserved::MODULES;
use crate::identifier::is_identifier;

/// Returns whether a tag can name a module.
pub(crate) fn is_module(name: &str) -> bool {
    let is_valid = is_identifier(name) && is_identifier(&trait_of(name));
    name == name.to_snake_case() && is_valid && !MODULES.contains(&name)
}

/// The name of the server's trait of a tag. No other type of the server has this ending, except `PartialApi`, and
/// `partial` is not a valid name of a tag.
pub(crate) fn trait_of(tag: &str) -> String {
    format!("{}Api", tag.to_upper_camel_case())
}

/// Help for a tag that cannot be a module name.
pub(in super::super) fn module_help(name: &str) -> String {
    let snake = name.to_snake_case();
    if MODULES.contains(&name) {
        return "the generated crates reserve this name for a module or crate: choose another".to_owned();
    }
    if snake != name && is_module(&snake) {
        return format!("write `{snake}`");
    }
    "use lower-case letters, digits and underscores, begin with a letter, and do not use a Rust keyword".to_owned()
}
