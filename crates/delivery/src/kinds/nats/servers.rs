//! URLs of NATS servers.

use percent_encoding::percent_decode_str;
use reqwest::Url;
use wearlab_models::Secret;

use super::credentials::Login;

const FORM: &str = "is not a list of NATS URLs such as tls://user:password@host:4222, separated by commas; percent-encode \
                    special characters in user, password and token (: %3A, / %2F, ? %3F, # %23, @ %40, comma %2C)";

/// A NATS server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// True if the scheme is `tls`. With `nats`, TLS is used where the server requires it.
    pub tls: bool,
    /// A name or an IP address, without brackets.
    pub host: String,
    /// The port; 4222 unless given.
    pub port: u16,
}

/// Parses URLs. An error quotes no part of them: an unescaped password may end anywhere.
pub(super) fn parse(text: &str) -> Result<(Vec<Server>, Option<Login>), &'static str> {
    let (mut servers, mut login) = (Vec::new(), None);
    for text in text.split(',') {
        let url = Url::parse(text.trim()).map_err(|_| FORM)?;
        servers.push(server(&url)?);
        match (login_of(&url)?, &login) {
            (Some(other), Some(login)) if other != *login => {
                return Err("has different logins; give one, with the first URL");
            }
            (Some(other), _) => login = Some(other),
            (None, _) => {}
        }
    }
    Ok((servers, login))
}

fn server(url: &Url) -> Result<Server, &'static str> {
    let tls = match url.scheme() {
        "nats" => false,
        "tls" => true,
        _ => return Err(FORM),
    };
    let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let host = url.host_str().filter(|host| is_bare && !host.is_empty()).ok_or(FORM)?;
    Ok(Server {
        tls,
        host: decode(host.trim_matches(['[', ']']))?,
        port: url.port().unwrap_or(4222),
    })
}

/// A user with a password, or a token alone.
fn login_of(url: &Url) -> Result<Option<Login>, &'static str> {
    let user = decode(url.username())?;
    Ok(match url.password() {
        Some(password) => Some(Login::User {
            user,
            password: Secret::from(decode(password)?),
        }),
        None if user.is_empty() => None,
        None => Some(Login::Token(Secret::from(user))),
    })
}

fn decode(text: &str) -> Result<String, &'static str> {
    let decoded = percent_decode_str(text).decode_utf8().map_err(|_| FORM)?;
    Ok(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Login, parse};

    #[test]
    fn urls_are_parsed_as_other_clients_do() {
        let parsed = |text: &str| {
            let (servers, login) = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let servers = servers
                .iter()
                .map(|server| format!("{} {} {}", server.tls, server.host, server.port));
            let login = match login {
                None => "-".to_owned(),
                Some(Login::User { user, password }) => format!("{user} {}", password.expose()),
                Some(Login::Token(token)) => token.expose().to_owned(),
                Some(other) => panic!("{other:?}"),
            };
            format!("{} {login}", servers.collect::<Vec<_>>().join(", "))
        };
        for (text, expected) in [
            ("nats://a.example", "false a.example 4222 -"),
            ("tls://me:p%40ss@a.example:4443/", "true a.example 4443 me p@ss"),
            ("tls://s3cret@[::1]", "true ::1 4222 s3cret"),
            (
                "tls://me:pw@a, tls://me:pw@b:1,nats://c",
                "true a 4222, true b 1, false c 4222 me pw",
            ),
            ("tls://127.1", "true 127.1 4222 -"),
        ] {
            assert_eq!(parsed(text), expected);
        }
    }

    #[test]
    fn invalid_urls_are_not_quoted() {
        for text in [
            "",
            "hunter2",
            "tls://",
            "https://u:hunter2@h",
            "ws://u:hunter2@h",
            "tls://u:hun/ter2@h",
            "tls://u:hunter2@h/path",
            "tls://u:hunter2@h?tls=1",
            "tls://u:hunter2#@h",
            "tls://u:hunter,2@h",
            "tls://u:hunter2@h:99999",
            "tls://u:hunter2@a,",
            "tls://u:hunter2@a,tls://u:hunter3@b",
        ] {
            let error = parse(text).expect_err(text);
            assert!(!error.contains("hunter"), "{text}: {error}");
        }
    }
}
