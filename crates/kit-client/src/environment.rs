//! A builder as the environment describes it.

use crate::{Builder, Document};

impl<D: Document> Builder<D> {
    /// Returns a builder with the settings of the environment. A variable that is missing, empty or not Unicode is
    /// ignored, and setters override what was read.
    pub fn from_env() -> Self {
        read(|name| std::env::var(name).ok())
    }
}

/// Reads all variables. One that is empty is not there.
fn read<D: Document>(variable: impl Fn(&str) -> Option<String>) -> Builder<D> {
    let given = |name: &str| variable(name).filter(|value| !value.is_empty());
    let mut builder = Builder::default();
    if let Some(word) = given(D::PREFIX_VARIABLE) {
        builder = builder.header_prefix(word);
    }
    for (server, setter, name) in D::ADDRESSES {
        if let Some(url) = given(name) {
            builder = builder.named_address(*server, setter, url);
        }
    }
    for (credential, _, name) in D::SETTERS {
        if let Some(value) = given(name) {
            builder = builder.credential(*credential, value);
        }
    }
    builder
}

#[cfg(test)]
mod tests {
    use crate::Document;
    use crate::fixture::Fixture;

    fn read(variable: impl Fn(&str) -> Option<String>) -> crate::Builder<Fixture> {
        super::read(variable)
    }

    #[test]
    fn each_variable_is_a_setting() {
        let values = |name: &str| {
            Some(match name {
                "FIXTURE_BASE_URL" => "http://a/".to_owned(),
                "FIXTURE_MANAGEMENT_URL" => "http://b".to_owned(),
                "FIXTURE_HEADER_PREFIX" => "acme".to_owned(),
                key => format!("secret {key}"),
            })
        };
        let transport = read(values).build().expect("a transport");
        let shown = format!("{transport:?}");
        for part in ["http://a\"", "http://b\"", "ApiKey", "ManagementKey"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn what_is_wrong_is_reported_by_name() {
        let error = read(|_| None).build().expect_err("nothing is set");
        assert!(error.to_string().contains("base_url"), "{error}");
        let addresses = Fixture::ADDRESSES.iter().map(|(_, _, name)| *name);
        let credentials = Fixture::SETTERS.iter().map(|(_, _, name)| *name);
        for name in addresses.chain(credentials).chain([Fixture::PREFIX_VARIABLE]) {
            let value = |wanted: &str| match wanted {
                wanted if wanted == name => Some("wrong\nüü".to_owned()),
                "FIXTURE_BASE_URL" => Some("http://a".to_owned()),
                _ => Some(String::new()),
            };
            let error = read(value).build().expect_err("it cannot be used");
            assert!(!error.to_string().contains("üü"), "{name}: {error}");
        }
    }
}
