//! Options of every operation: base URLs, credentials, timeouts.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use wearlab_kit_client::codegen::Builder;
use wearlab_kit_client::{Document, RetryPolicy};

use crate::failure::Failure;
use crate::operation::{Address, Commands, Key, Operation};

const HEADING: &str = "Connection";
const HEADER_PREFIX: &str = "header-prefix";
const HEADER: &str = "header";
const RETRIES: &str = "retries";
const TIMEOUT: &str = "timeout";
const MAX_RESPONSE_BYTES: &str = "max-response-bytes";
const CACERT: &str = "cacert";
const PEM_CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// Returns whether options are read from a variable.
pub fn is_variable<C: Commands>(name: &str) -> bool {
    let addresses = C::ADDRESSES.iter().map(|address| address.variable);
    let keys = C::KEYS.iter().map(|key| key.variable);
    addresses
        .chain(keys)
        .chain([C::Document::PREFIX_VARIABLE])
        .any(|variable| variable == name)
}

/// Adds the options.
pub(crate) fn add<C: Commands>(command: Command) -> Command {
    // Help does not show the values of variables: they may be secret.
    let named = |(option, variable)| Arg::new(option).long(option).env(variable).hide_env_values(true);
    let addresses = C::ADDRESSES.iter().map(|address| {
        let arg = named((address.option, address.variable))
            .value_name("URL")
            .help(address.help);
        arg.default_value(address.default)
    });
    let keys = C::KEYS
        .iter()
        .map(|key| named((key.option, key.variable)).value_name(key.shown).help(key.help));
    let prefix = named((HEADER_PREFIX, C::Document::PREFIX_VARIABLE))
        .value_name("WORD")
        .help("Prefix that replaces `service` in header names, as configured by the service");
    let timeout = Arg::new(TIMEOUT)
        .long(TIMEOUT)
        .value_name("SECONDS")
        .help("Timeout of a call with all its attempts [default: 60]")
        .value_parser(value_parser!(u64).range(1..));
    let retries = Arg::new(RETRIES)
        .long(RETRIES)
        .value_name("N")
        .help("Retries of a failed call [default: 2]")
        .value_parser(value_parser!(u32));
    let header = Arg::new(HEADER)
        .long(HEADER)
        .value_name("NAME:VALUE")
        .help("Additional header; may be repeated")
        .action(ArgAction::Append);
    let most = Arg::new(MAX_RESPONSE_BYTES)
        .long(MAX_RESPONSE_BYTES)
        .value_name("N")
        .help("Limit of a response in bytes [default: 67108864 (64 MiB)]")
        .value_parser(value_parser!(u64).range(1..));
    let cacert = Arg::new(CACERT)
        .long(CACERT)
        .value_name("FILE")
        .help("PEM file with certificates to trust besides those of the system")
        .value_parser(value_parser!(PathBuf));
    let all = addresses
        .chain(keys)
        .chain([prefix, cacert, timeout, most, retries, header]);
    command.args(all.map(|arg| arg.global(true).help_heading(HEADING)))
}

/// The value of an option or its variable. An empty one counts as not set.
fn given<'m>(matches: &'m ArgMatches, option: &str) -> Option<&'m str> {
    let value = matches.get_one::<String>(option).map(String::as_str);
    value.filter(|value| !value.is_empty())
}

/// The URL that is used if none is given.
pub(crate) fn default_url<C: Commands>(matches: &ArgMatches) -> Option<&'static str> {
    let is_given = |address: &Address<C::Document>| {
        given(matches, address.option).is_some()
            && matches.value_source(address.option) != Some(ValueSource::DefaultValue)
    };
    match C::ADDRESSES.iter().any(is_given) {
        true => None,
        false => C::ADDRESSES.iter().find_map(|address| address.default),
    }
}

/// Checks that the credentials of one of the operation's alternatives are given.
pub(crate) fn check_credentials<C: Commands>(operation: &Operation<C>, matches: &ArgMatches) -> Result<(), Failure> {
    let key =
        |credential: &<C::Document as Document>::Credential| C::KEYS.iter().find(|key| key.credential == *credential);
    let is_given = |credential: &<C::Document as Document>::Credential| {
        key(credential).is_some_and(|key| given(matches, key.option).is_some())
    };
    let alternatives = operation.endpoint.security;
    if alternatives.is_empty() || alternatives.iter().any(|all| all.iter().all(is_given)) {
        return Ok(());
    }
    let names = alternatives.iter().map(|all| {
        let names = all.iter().filter_map(key);
        let names = names.map(|key| format!("--{} or the variable {}", key.option, key.variable));
        names.collect::<Vec<_>>().join(", and ")
    });
    let (name, names) = (operation.name, names.collect::<Vec<_>>().join(", or "));
    Err(Failure::Usage(format!("{name} needs a credential: give {names}")))
}

/// Checks a base URL. It is not shown: it may hold a password.
fn check_url<D: Document>(address: &Address<D>, url: &str) -> Result<(), Failure> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let good = rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with(['/', ':'])
            && !rest.contains(['@', '?', '#', '\\'])
            && !rest.contains(char::is_whitespace)
    });
    match good {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "--{} (or {}): expected an http or https URL without credentials, query or fragment, such as \
             https://api.example.com",
            address.option, address.variable
        ))),
    }
}

/// Checks a value that is sent in a header.
fn check_key<D: Document>(key: &Key<D>, value: &str) -> Result<(), Failure> {
    let good = !value.trim().is_empty() && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let Key { option, variable, .. } = key;
    match good {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "--{option} (or {variable}) is not printable ASCII"
        ))),
    }
}

/// The client of the options.
pub(crate) fn client<C: Commands>(matches: &ArgMatches) -> Result<C::Client, Failure> {
    let given = |option: &str| given(matches, option);
    let mut builder = Builder::<C::Document>::default();
    for address in C::ADDRESSES {
        if let Some(url) = given(address.option).or(address.default) {
            check_url(address, url)?;
            builder = builder.address(address.server, url);
        }
    }
    for key in C::KEYS {
        if let Some(value) = given(key.option) {
            check_key(key, value)?;
            builder = builder.credential(key.credential, value);
        }
    }
    if let Some(word) = given(HEADER_PREFIX) {
        builder = builder.header_prefix(word);
    }
    if let Some(seconds) = matches.get_one::<u64>(TIMEOUT) {
        // All attempts share the time.
        let time = Duration::from_secs(*seconds);
        builder = builder.timeout(time).deadline(time);
    }
    if let Some(most) = matches.get_one::<u64>(MAX_RESPONSE_BYTES) {
        builder = builder.max_response_bytes(*most);
    }
    if let Some(file) = matches.get_one::<PathBuf>(CACERT) {
        let pem = fs::read(file);
        let pem =
            pem.map_err(|error| Failure::Usage(format!("--{CACERT}: cannot read {}: {error}", file.display())))?;
        if !pem.windows(PEM_CERTIFICATE.len()).any(|bytes| bytes == PEM_CERTIFICATE) {
            return Err(Failure::Usage(format!(
                "--{CACERT}: there is no certificate in PEM in {}",
                file.display()
            )));
        }
        builder = builder.root_certificates(pem);
    }
    if let Some(retries) = matches.get_one::<u32>(RETRIES) {
        builder = builder.retry(RetryPolicy::default().retries(*retries));
    }
    Ok(builder.build()?.into())
}

/// The additional headers. A malformed one has no name, and is rejected when it is sent.
pub(crate) fn headers(matches: &ArgMatches) -> impl Iterator<Item = (&str, &str)> {
    let given = matches.get_many::<String>(HEADER).into_iter().flatten();
    let parts = given.map(|header| header.split_once(':').unwrap_or_default());
    parts.map(|(name, value)| (name.trim(), value.trim()))
}

#[cfg(test)]
mod tests {
    use clap::Command;
    use wearlab_kit_client::{Document, Transport};
    use wearlab_kit_types::carrier::{Carrier, HasCarrier};

    use super::{add, default_url};
    use crate::operation::{Address, Commands, Key, Operation};

    #[derive(Clone, Copy, Debug)]
    struct Fixture;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Server {
        Base,
        Management,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Credential {}

    impl HasCarrier for Credential {
        fn carrier(self) -> Carrier {
            match self {}
        }
    }

    impl Document for Fixture {
        type Server = Server;
        type Credential = Credential;
        const SERVICE: Server = Server::Base;
        const ADDRESSES: &'static [(Server, &'static str, &'static str)] = &[];
        const SETTERS: &'static [(Credential, &'static str, &'static str)] = &[];
        const PREFIX_VARIABLE: &'static str = "FIXTURE_HEADER_PREFIX";
        const USER_AGENT: &'static str = "fixture/1";
    }

    impl Commands for Fixture {
        type Document = Self;
        type Client = Transport<Self>;
        const NAME: &'static str = "fixture";
        const OPERATIONS: &'static [&'static Operation<Self>] = &[];
        const ADDRESSES: &'static [Address<Self>] = &[
            Address {
                option: "base-url",
                variable: "FIXTURE_BASE_URL",
                help: "",
                default: Some("http://127.0.0.1:8080"),
                server: Server::Base,
            },
            Address {
                option: "management-url",
                variable: "FIXTURE_MANAGEMENT_URL",
                help: "",
                default: None,
                server: Server::Management,
            },
        ];
        const KEYS: &'static [Key<Self>] = &[];
    }

    #[test]
    fn the_default_url_is_known_where_none_is_given() {
        let tried = |arguments: &[&str]| {
            let matches = add::<Fixture>(Command::new("api")).try_get_matches_from([&["api"], arguments].concat());
            default_url::<Fixture>(&matches.expect("parses"))
        };
        let default = Some("http://127.0.0.1:8080");
        assert_eq!(tried(&[]), default);
        assert_eq!(tried(&["--base-url="]), default);
        assert_eq!(tried(&["--base-url=http://127.0.0.1:8080"]), None);
        assert_eq!(tried(&["--management-url=https://a.example"]), None);
    }
}
