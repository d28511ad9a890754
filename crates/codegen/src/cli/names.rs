//! Names of commands and options, distinct from the command line's own.

use heck::ToKebabCase;

use crate::document::{Document, Operation, Parameter};

/// Commands that are not operations.
const COMMANDS: [&str; 2] = ["completions", "help"];

/// Options that every operation has, or may have.
const OPTIONS: [&str; 13] = [
    "all",
    "body",
    "cacert",
    "columns",
    "header",
    "header-prefix",
    "help",
    "max-response-bytes",
    "output",
    "retries",
    "set",
    "timeout",
    "version",
];

/// The command of an operation.
pub(super) fn command(operation: &Operation) -> String {
    free(operation.id.to_kebab_case(), "call", &COMMANDS)
}

/// The option of a parameter, distinct from the command line's own options.
pub(super) fn option(document: &Document, parameter: &Parameter) -> String {
    distinct(document, &parameter.field(), parameter.location.as_str())
}

/// An option that is distinct from the command line's own; `word` is put before others.
pub(super) fn distinct(document: &Document, field: &str, word: &str) -> String {
    let own = document.servers.iter().map(|server| server.variable.to_kebab_case());
    let own = own.chain(document.security.iter().map(|scheme| scheme.short_name.to_kebab_case()));
    let own: Vec<_> = own.chain(OPTIONS.map(str::to_owned)).collect();
    let own: Vec<_> = own.iter().map(String::as_str).collect();
    free(field.to_kebab_case(), word, &own)
}

/// The name, with a prefix if it is already taken.
fn free(name: String, word: &str, taken: &[&str]) -> String {
    if taken.contains(&name.as_str()) {
        format!("{word}-{name}")
    } else {
        name
    }
}
