//! Rust identifiers from names of the document.

use heck::ToSnakeCase;
use syn::Ident;

/// The name of a server's variable, without the common suffix.
pub(crate) fn server_stem(variable: &str) -> &str {
    variable.strip_suffix("_url").unwrap_or(variable)
}

/// The field of a property or a parameter: snake case, with an underscore after a keyword, as in typify.
pub(crate) fn field_name(name: &str) -> String {
    let snake = match name {
        "+1" => "plus1".to_owned(),
        "-1" => "minus1".to_owned(),
        _ => name.replace('\'', "").to_snake_case(),
    };
    let begun = if is_identifier(&format!("{snake}_")) {
        snake
    } else {
        format!("x{snake}")
    };
    if is_identifier(&begun) {
        begun
    } else {
        format!("{begun}_")
    }
}

/// Whether a name is a Rust identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    typify::accept_as_ident(name) && syn::parse_str::<Ident>(name).is_ok()
}
