//! A client as the environment describes it.

use crate::Error;
use crate::builder::ClientBuilder;
use crate::generated::credentials::{ADDRESSES, SETTERS};
use crate::transport::Client;

type Setting = fn(ClientBuilder, String) -> ClientBuilder;

/// The variables that are read, and what each is.
const VARIABLES: [(&str, Setting); 1] = [("WEARLAB_HEADER_PREFIX", |builder, value| builder.header_prefix(value))];

impl Client {
    /// The client that the environment describes: see [`ClientBuilder::from_env`].
    ///
    /// # Errors
    ///
    /// As [`ClientBuilder::build`].
    pub fn from_env() -> Result<Self, Error> {
        ClientBuilder::from_env().build()
    }
}

impl ClientBuilder {
    /// A builder with what the environment says: `WEARLAB_BASE_URL`, `WEARLAB_MANAGEMENT_URL`, `WEARLAB_API_KEY`,
    /// `WEARLAB_LINK_TOKEN`, `WEARLAB_MANAGEMENT_KEY` and `WEARLAB_HEADER_PREFIX`. A variable that is not there, is empty
    /// or is no Unicode is left out, and what is set afterwards takes the place of what was read.
    pub fn from_env() -> Self {
        read(|name| std::env::var(name).ok())
    }
}

/// Reads all variables. One that is empty is not there.
fn read(variable: impl Fn(&str) -> Option<String>) -> ClientBuilder {
    let given = |name: &str| variable(name).filter(|value| !value.is_empty());
    let builder = VARIABLES
        .into_iter()
        .fold(ClientBuilder::default(), |builder, (name, setting)| match given(name) {
            Some(value) => setting(builder, value),
            None => builder,
        });
    let builder = ADDRESSES
        .iter()
        .fold(builder, |builder, (server, setter, name)| match given(name) {
            Some(value) => builder.named_address(*server, setter, value),
            None => builder,
        });
    SETTERS
        .iter()
        .fold(builder, |builder, (credential, _, name)| match given(name) {
            Some(value) => builder.credential(*credential, value),
            None => builder,
        })
}

#[cfg(test)]
mod tests {
    use super::{ADDRESSES, SETTERS, VARIABLES, read};

    #[test]
    fn each_variable_is_a_setting() {
        let values = |name: &str| {
            Some(match name {
                "WEARLAB_BASE_URL" => "http://a/".to_owned(),
                "WEARLAB_MANAGEMENT_URL" => "http://b".to_owned(),
                "WEARLAB_HEADER_PREFIX" => "acme".to_owned(),
                key => format!("secret {key}"),
            })
        };
        let client = read(values).build().expect("a client");
        let shown = format!("{client:?}");
        for part in ["http://a\"", "http://b\"", "TeamApiKey", "LinkToken", "ManagementKey"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn what_is_wrong_is_reported_by_name() {
        let error = read(|_| None).build().expect_err("nothing is set");
        assert!(error.to_string().contains("base_url"), "{error}");
        let settings = VARIABLES.iter().map(|(name, _)| *name);
        let addresses = ADDRESSES.iter().map(|(_, _, name)| *name);
        for name in settings
            .chain(addresses)
            .chain(SETTERS.iter().map(|(_, _, name)| *name))
        {
            let value = |wanted: &str| match wanted {
                wanted if wanted == name => Some("wrong\nüü".to_owned()),
                "WEARLAB_BASE_URL" => Some("http://a".to_owned()),
                _ => Some(String::new()),
            };
            let error = read(value).build().expect_err("it cannot be used");
            assert!(!error.to_string().contains("üü"), "{name}: {error}");
        }
    }
}
