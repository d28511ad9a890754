//! Parameters of queries and forms.

/// Returns a parameter of a query or a form: none if it is absent, repeated or empty.
pub(super) fn parameter(encoded: &[u8], name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(encoded).filter(|(found, _)| found == name);
    let value = values.next()?.1.into_owned();
    (values.next().is_none() && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn a_parameter_is_read_where_it_stands_once() {
        let query = b"state=a%20b&code=c&code=d&error=&iss=https%3A%2F%2Fexample.com";
        assert_eq!(parameter(query, "state").as_deref(), Some("a b"));
        assert_eq!(parameter(query, "iss").as_deref(), Some("https://example.com"));
        for none in ["code", "error", "scope"] {
            assert_eq!(parameter(query, none), None, "{none}");
        }
    }
}
