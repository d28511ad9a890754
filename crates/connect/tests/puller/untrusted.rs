//! Providers that lead a pull to other hosts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_connect::settings::ConnectorSettings;
use wearlab_connect::{
    Account, Collection, Connector, Profile, Provider, Puller, PullerError, Reading, Refusal, Reply, Session, Span,
};
use wearlab_models::{ProviderSettings, Secret};

use crate::provider::settings;
use crate::world::{USER, World};

const SLUG: &str = "compass";

static PROFILE: Profile = Profile {
    id: 903,
    slug: SLUG,
    name: "Compass",
    description: "Compasses of the tests.",
    source_type: "watch",
    collections: &[],
    quotas: &[],
    max_concurrent: 1,
    history_days: 1,
};

/// Provider whose account is at its base URL.
struct Compass;

impl Provider for Compass {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn settings(&self) -> ProviderSettings {
        settings(SLUG, &[])
    }

    fn account<'a>(&'a self, session: &'a Session) -> Reply<'a, Account> {
        async {
            let url = session.base_url.as_deref().unwrap_or_default();
            let request = session.http.get(url).bearer_auth(session.access_token.expose());
            let response = request.send().await.map_err(|_| Refusal::Later(None))?;
            match response.status().is_success() {
                true => Ok(Account { provider_user_id: None }),
                false => Err(Refusal::Failed("the account cannot be read".to_owned())),
            }
        }
        .boxed()
    }

    fn pull<'a>(&'a self, _: &'a Session, _: &'static Collection, _: Span) -> Reply<'a, Vec<Reading>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

/// HTTP server with one response, which counts the connections.
struct Server {
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl Server {
    async fn responding(response: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(response.as_bytes()).await;
            }
        });
        Self { port, connections }
    }

    async fn new() -> Self {
        Self::responding("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()).await
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// Creates a puller of the provider at a URL.
fn puller(world: &World, base_url: String, allows_loopback: bool) -> Result<Puller, PullerError> {
    let connector = Connector {
        provider: Arc::new(Compass),
        settings: ConnectorSettings {
            client_id: Some("client".to_owned()),
            client_secret: Some(Secret::from("secret")),
            base_url: Some(base_url),
            ..ConnectorSettings::default()
        },
    };
    Puller::new(world.linker(allows_loopback), vec![connector])
}

/// Pulls the account of a user from a URL on this machine. Returns the reason why it is not read.
async fn reason(base_url: String) -> Option<String> {
    let world = World::new().await;
    let puller = puller(&world, base_url, true).expect("a puller");
    puller.provision().await.expect("settings");
    world.link_at(USER, SLUG).await;
    puller.pull_due().await.expect("a store");
    let tasks = world.store.pull_tasks(world.team, USER).await.expect("reads");
    let task = tasks.into_iter().find(|task| task.provider == SLUG);
    task.expect("a task").reason
}

#[tokio::test]
async fn a_redirect_of_a_provider_is_not_followed() {
    let other = Server::new().await;
    let location = format!("http://127.0.0.1:{}/", other.port);
    let redirect = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    let server = Server::responding(redirect).await;
    let reason = reason(format!("http://127.0.0.1:{}/", server.port)).await;
    assert_eq!(reason.as_deref(), Some("failed"));
    assert_eq!((server.connections(), other.connections()), (1, 0));
}

#[tokio::test]
async fn a_provider_on_this_machine_is_called_only_if_it_is_allowed() {
    let server = Server::new().await;
    let address = format!("http://127.0.0.1:{}/", server.port);
    assert_eq!(reason(address.clone()).await, None);
    assert_eq!(server.connections(), 1);

    let world = World::new().await;
    for url in [address, format!("https://localhost:{}/", server.port)] {
        let refused = puller(&world, url, false).err().expect("no puller").to_string();
        assert!(
            refused.starts_with("invalid setting connectors.compass.base_url: "),
            "{refused}"
        );
    }
    assert_eq!(server.connections(), 1);
}
