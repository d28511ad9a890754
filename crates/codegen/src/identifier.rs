//! Rust identifiers from names of the document.

use heck::{ToSnakeCase, ToUpperCamelCase};
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

/// The variant of a value: upper camel case, with its sign as a word. A value without letters or digits is spelled; one
/// that begins with a digit, or is a keyword, gets a word before it.
pub(crate) fn variant_name(value: &str) -> String {
    let (sign, rest) = match value.split_at_checked(1) {
        Some(("+", rest)) if !rest.is_empty() => ("Plus", rest),
        Some(("-", rest)) if !rest.is_empty() => ("Minus", rest),
        _ => ("", value),
    };
    let camel = match rest.to_upper_camel_case() {
        empty if empty.is_empty() => value.chars().map(spelled).collect(),
        camel => format!("{sign}{camel}"),
    };
    match camel.as_str() {
        "" => "Empty".to_owned(),
        camel if is_identifier(camel) => camel.to_owned(),
        camel => format!("Value{camel}"),
    }
}

/// A character other than a letter or digit, as a word.
fn spelled(character: char) -> String {
    let word = match character {
        '+' => "Plus",
        '-' => "Minus",
        '<' => "Less",
        '>' => "Greater",
        '=' => "Equal",
        '!' => "Not",
        '*' => "Star",
        '/' => "Slash",
        '%' => "Percent",
        '.' => "Dot",
        ',' => "Comma",
        ':' => "Colon",
        ';' => "Semicolon",
        '#' => "Hash",
        '&' => "And",
        '|' => "Or",
        '~' => "Tilde",
        '^' => "Caret",
        '$' => "Dollar",
        '@' => "At",
        '?' => "Question",
        '_' => "Underscore",
        ' ' => "Space",
        other => return format!("U{:X}", u32::from(other)),
    };
    word.to_owned()
}

/// Returns whether a name can be one of a field or a method.
pub(crate) fn is_snake(name: &str) -> bool {
    name == name.to_snake_case() && is_identifier(name)
}

/// Returns whether a name can be one of a variant or a type.
pub(crate) fn is_camel(name: &str) -> bool {
    name == name.to_upper_camel_case() && is_identifier(name)
}

/// Returns whether a name is a Rust identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    typify::accept_as_ident(name) && syn::parse_str::<Ident>(name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{is_identifier, variant_name};

    #[test]
    fn every_value_has_a_variant() {
        let names = [
            ("big", "Big"),
            ("+1", "Plus1"),
            ("-1", "Minus1"),
            ("-created", "MinusCreated"),
            ("2nd", "Value2nd"),
            ("self", "ValueSelf"),
            (">=", "GreaterEqual"),
            ("<", "Less"),
            ("-", "Minus"),
            ("", "Empty"),
            ("\u{1f389}", "U1F389"),
            ("größe", "Größe"),
        ];
        for (value, name) in names {
            assert_eq!(variant_name(value), name);
            assert!(is_identifier(name), "{name}");
        }
    }
}
