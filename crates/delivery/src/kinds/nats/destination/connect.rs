//! Connects to one of the servers of a pipeline.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};
use tokio::time::{Instant, timeout};

use super::fault::{self, Failure};
use super::link::Link;
use super::verifier::{HostVerifier, Trust};
use crate::kinds::nats::{Login, Server, Settings, SubjectConfig};
use crate::tls::client_config;
use crate::{ConfigError, Reason};

/// Connects to the first server that can be reached, at an address that the egress policy allows. Servers share the
/// time that is left, and so do the addresses of one. Returns the first error of all.
pub(super) async fn connect(config: &SubjectConfig, settings: &Settings, trust: &Arc<Trust>) -> Result<Link, Reason> {
    let end = Instant::now() + settings.connect_timeout;
    let connector = Connector {
        login: config.login.as_ref(),
        settings,
        trust,
    };
    let mut first = None;
    for (index, server) in config.servers.iter().enumerate() {
        let limit = share(end, config.servers.len() - index);
        let failure = match timeout(limit, connector.server(server, Instant::now() + limit)).await {
            Ok(Ok(link)) => return Ok(link),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::from(fault::no_connection_within(settings.connect_timeout)),
        };
        if failure.is_final {
            return Err(failure.reason);
        }
        first.get_or_insert(failure.reason);
    }
    Err(first.unwrap_or_else(|| fault::no_connection_within(settings.connect_timeout)))
}

/// The time until `end`, shared by so many.
fn share(end: Instant, count: usize) -> Duration {
    end.saturating_duration_since(Instant::now()) / u32::try_from(count).unwrap_or(u32::MAX).max(1)
}

struct Connector<'a> {
    login: Option<&'a Login>,
    settings: &'a Settings,
    trust: &'a Arc<Trust>,
}

impl Connector<'_> {
    async fn server(&self, server: &Server, end: Instant) -> Result<Link, Failure> {
        let addresses = resolve(server, self.settings).await?;
        let mut first = None;
        for (index, address) in addresses.iter().enumerate() {
            match self
                .address(server, *address, share(end, addresses.len() - index))
                .await
            {
                Ok(link) => return Ok(link),
                Err(failure) if failure.is_final => return Err(failure),
                Err(failure) => drop(first.get_or_insert(failure)),
            }
        }
        let none = || Failure::from(fault::no_connection_within(self.settings.connect_timeout));
        Err(first.unwrap_or_else(none))
    }

    async fn address(&self, server: &Server, address: SocketAddr, limit: Duration) -> Result<Link, Failure> {
        let scheme = if server.tls { "tls" } else { "nats" };
        let url: ServerAddr = format!("{scheme}://{address}")
            .parse()
            .map_err(|error| Reason::cause("no connection to the server", &error))?;
        if server.tls {
            // With `nats`, a fault of the verifier matters only if the server requires TLS.
            self.trust.verifier()?;
        }
        let verifier = HostVerifier {
            host: server.host.clone(),
            trust: Arc::clone(self.trust),
        };
        let tls = client_config(Arc::new(verifier))?;
        let options = options(self.login)
            .map_err(|error| Reason::new(error.to_string()))?
            .name("wearlab")
            .require_tls(server.tls)
            .tls_client_config(Arc::unwrap_or_clone(tls))
            .connection_timeout(limit)
            .ping_interval(self.settings.ping_interval)
            // A server may advertise others, which nobody has checked.
            .ignore_discovered_servers();
        Link::connect(url, options, self.settings.connect_timeout).await
    }
}

/// Options with a login.
pub(super) fn options(login: Option<&Login>) -> Result<ConnectOptions, ConfigError> {
    let options = ConnectOptions::new();
    match login {
        None => Ok(options),
        Some(Login::User { user, password }) => {
            Ok(options.user_and_password(user.clone(), password.expose().to_owned()))
        }
        Some(Login::Token(token)) => Ok(options.token(token.expose().to_owned())),
        Some(Login::Seed(seed)) => match nkeys::KeyPair::from_seed(seed.expose()) {
            Ok(_) => Ok(options.nkey(seed.expose().to_owned())),
            Err(_) => {
                let reason = "is not a valid seed: its checksum is wrong; copy it again";
                Err(ConfigError::new("nats.credentials", reason))
            }
        },
        Some(Login::Credentials(credentials)) => options.credentials(credentials.expose()).map_err(|_| {
            let reason = "has no valid JWT and seed; give the whole content of a credentials file";
            ConfigError::new("nats.credentials", reason)
        }),
    }
}

async fn resolve(server: &Server, settings: &Settings) -> Result<Vec<SocketAddr>, Reason> {
    let failed = |error: &dyn std::error::Error| Reason::cause("no connection to the server", error);
    let policy = &settings.policy;
    policy
        .check_host(&server.host, server.tls)
        .map_err(|error| failed(&error))?;
    policy
        .resolve(&server.host, server.port)
        .await
        .map_err(|error| failed(&error))
}
