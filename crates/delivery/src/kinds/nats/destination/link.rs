//! A connection to a server.

use std::net::SocketAddr;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, HeaderMap, Request, RequestErrorKind, ServerAddr};
use bytes::Bytes;
use tokio::sync::watch;
use tokio_rustls::rustls::pki_types::ServerName;

use super::verifier::HostVerifier;
use super::{fault, runtime};
use crate::kinds::nats::{Login, Server, Settings, SubjectConfig};
use crate::tls::{client_config, verifier};
use crate::{ConfigError, Reason};

/// A connection to a server. It ends when this is dropped.
pub(super) struct Link {
    client: Client,
    /// Why it cannot be used any more.
    fault: watch::Receiver<Option<Reason>>,
}

/// The end of a publication.
pub(super) enum Published {
    /// The response of whoever listens to the subject.
    Response(Bytes),
    /// Nobody listens to the subject.
    NoResponders,
    /// It is larger than this, which is the most that the server takes.
    TooLarge(usize),
    /// The connection is of no use any more.
    Broken(Reason),
    /// No response in time.
    Silence,
}

impl Link {
    /// Connects to the first server that can be reached, at an address that the egress policy allows.
    pub(super) async fn open(config: &SubjectConfig, settings: &Settings) -> Result<Self, Reason> {
        let (mut found, mut failed) = (Vec::new(), None);
        for server in &config.servers {
            match resolve(server, settings).await {
                Ok(addresses) => found.extend(addresses.into_iter().map(|address| (server, address))),
                Err(reason) => drop(failed.get_or_insert(reason)),
            }
        }
        let each = settings.connect_timeout / u32::try_from(found.len()).unwrap_or(u32::MAX).max(1);
        for (server, address) in found {
            match Self::connect(server, address, config.login.as_ref(), each, settings).await {
                Ok(link) => return Ok(link),
                Err(reason) => drop(failed.get_or_insert(reason)),
            }
        }
        Err(failed.unwrap_or_else(|| fault::no_connection_within(settings.connect_timeout)))
    }

    async fn connect(
        server: &Server,
        address: SocketAddr,
        login: Option<&Login>,
        limit: Duration,
        settings: &Settings,
    ) -> Result<Self, Reason> {
        let scheme = if server.tls { "tls" } else { "nats" };
        let url: ServerAddr = format!("{scheme}://{address}")
            .parse()
            .map_err(|error| Reason::cause("no connection to the server", &error))?;
        let (sender, faults) = watch::channel(None);
        let options = options(login).map_err(|error| Reason::new(error.to_string()))?;
        let options = options
            .name("wearlab")
            .require_tls(server.tls)
            .tls_client_config(tls(server, settings)?)
            .connection_timeout(limit)
            .ping_interval(settings.ping_interval)
            // A server may advertise others, which nobody has checked.
            .ignore_discovered_servers()
            // The fewest. What was in flight is lost with a connection, and the next call makes a new one.
            .max_reconnects(1)
            .event_callback(move |event| {
                note(&sender, &event);
                std::future::ready(())
            });
        match runtime::run(options.connect(url)).await? {
            Ok(client) => Ok(Self { client, fault: faults }),
            Err(error) => Err(fault::connecting(&error, limit)),
        }
    }

    /// Returns whether the connection is of use, as far as is known.
    pub(super) fn is_active(&self) -> bool {
        self.fault.borrow().is_none()
    }

    /// Publishes a message, and waits for the response.
    pub(super) async fn publish(
        &self,
        subject: String,
        headers: HeaderMap,
        payload: Bytes,
        limit: Duration,
    ) -> Published {
        let request = Request::new().headers(headers).payload(payload).timeout(Some(limit));
        let mut faults = self.fault.clone();
        tokio::select! {
            biased;
            response = self.client.send_request(subject, request) => match response {
                Ok(message) => Published::Response(message.payload),
                Err(error) => match error.kind() {
                    RequestErrorKind::NoResponders => Published::NoResponders,
                    RequestErrorKind::TimedOut => Published::Silence,
                    RequestErrorKind::MaxPayloadExceeded => Published::TooLarge(self.client.max_payload()),
                    _ => Published::Broken(fault::broken()),
                },
            },
            reason = faults.wait_for(Option::is_some) => {
                let reason = reason.ok().and_then(|reason| reason.clone());
                Published::Broken(reason.unwrap_or_else(fault::broken))
            }
        }
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
        Some(Login::Seed(seed)) => Ok(options.nkey(seed.expose().to_owned())),
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

fn tls(server: &Server, settings: &Settings) -> Result<tokio_rustls::rustls::ClientConfig, Reason> {
    let host = ServerName::try_from(server.host.clone())
        .map_err(|_| Reason::new("no TLS with the server: no certificate can be for its host"))?;
    let verifier = verifier(&settings.extra_roots)?;
    let config = client_config(std::sync::Arc::new(HostVerifier { host, verifier }))?;
    Ok(std::sync::Arc::unwrap_or_clone(config))
}

/// Notes the first fault of a connection.
fn note(faults: &watch::Sender<Option<Reason>>, event: &Event) {
    if let Some(reason) = fault::of_event(event) {
        faults.send_if_modified(|fault| {
            let is_first = fault.is_none();
            fault.get_or_insert(reason);
            is_first
        });
    }
}
