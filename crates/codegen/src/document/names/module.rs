//! Names of tags, which become modules.

use heck::ToSnakeCase;

use super::super::reserved::MODULES;
use crate::identifier::is_identifier;

/// Returns whether a tag can name a module.
pub(crate) fn is_module(name: &str) -> bool {
    name == name.to_snake_case() && is_identifier(name) && !MODULES.contains(&name)
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
