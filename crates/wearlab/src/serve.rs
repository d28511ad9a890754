//! Runs the listeners of the API and of management until shutdown.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::middleware::from_fn;
use axum::{Extension, Router};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use wearlab_connect::{Inbox, NoticeObserver, PullObserver};
use wearlab_delivery::DeliveryObserver;
use wearlab_http::settings::HttpSettings;
use wearlab_http::{Backend, FastPath, Listener, MiddlewareStack, Setup, ShutdownState};
use wearlab_linking::RefreshObserver;
use wearlab_server::{Api, Partial};
use wearlab_service::Service;
use wearlab_settings::InvalidSetting;
use wearlab_web::reference::{self, Demo, Reference};
use wearlab_web::{console, document, notices, pages};

use crate::metrics::ServiceMetrics;

/// Error of starting a service.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Invalid setting.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// The address is in use, or is not an address of this machine.
    #[error("cannot listen at {address}")]
    Listen {
        /// Address.
        address: SocketAddr,
        /// Error of the system.
        source: io::Error,
    },
}

/// Pages for browsers of a back end. Default: none.
pub trait Pages: Sized + Send + Sync + 'static {
    /// Returns the pages of the API's listener.
    fn pages() -> Router<Arc<Self>> {
        Router::new()
    }

    /// Returns the pages of the management listener.
    fn management_pages(self: &Arc<Self>) -> Router<Arc<Self>> {
        Router::new()
    }
}

impl Pages for Service {
    fn pages() -> Router<Arc<Self>> {
        pages::routes()
    }

    fn management_pages(self: &Arc<Self>) -> Router<Arc<Self>> {
        console::routes(self.clone())
    }
}

impl<T: Send + Sync + 'static> Pages for Partial<T> {}

/// Bound listeners, with the settings and middleware of a service.
pub struct Server {
    setup: Arc<Setup>,
    metrics: ServiceMetrics,
    interface: TcpListener,
    /// Listener of management, the probes and the metrics.
    management: Option<TcpListener>,
    /// Maximum connections of each listener.
    connections: usize,
    /// Enables the header `Prefer` for errors and delays.
    faults: bool,
    /// Demo of the page `/`.
    demo: Option<Arc<Demo>>,
    /// APIs and consent pages of the providers that users of a demo can link.
    simulated_providers: Router,
    /// Inbox of the notices of providers.
    inbox: Option<Arc<Inbox>>,
    /// Serves nothing but the probes and the metrics.
    probes_alone: bool,
}

impl Server {
    /// Validates the settings, reads the certificate, raises the process's limit of open files for the connections, and
    /// binds the addresses. Callers wait until [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// If a setting is invalid, or an address cannot be bound.
    pub async fn bind(settings: HttpSettings) -> Result<Self, ServeError> {
        let (metrics, registry) = ServiceMetrics::new();
        let setup = Setup::new(settings, registry)?;
        let settings = &setup.settings;
        let other = settings
            .management_listen
            .filter(|_| settings.has_management_listener());
        let listeners = 1 + u64::from(other.is_some());
        let connections = wearlab_http::allow_open_files(settings.limits.connections, listeners)?;
        Ok(Self {
            interface: take(settings.listen).await?,
            management: match other {
                Some(address) => Some(take(address).await?),
                None => None,
            },
            connections,
            setup: Arc::new(setup),
            metrics,
            faults: false,
            demo: None,
            simulated_providers: Router::new(),
            inbox: None,
            probes_alone: false,
        })
    }

    /// Enables the header `Prefer`, by which callers request errors and delays, for tests of clients. No setting
    /// enables it.
    pub(crate) fn with_faults(self) -> Self {
        Self { faults: true, ..self }
    }

    /// Shows the keys and data of a demo on its pages, and serves the providers that its users link. No setting enables
    /// either.
    pub(crate) fn with_demo(self, demo: Demo, simulated_providers: Router) -> Self {
        Self {
            demo: Some(Arc::new(demo)),
            simulated_providers,
            ..self
        }
    }

    /// Receives the notices of the providers of connectors at the API's listener.
    pub(crate) fn with_notices(self, inbox: Option<Inbox>) -> Self {
        Self {
            inbox: inbox.map(Arc::new),
            ..self
        }
    }

    /// Serves nothing but the probes and the metrics, at the API's listener.
    pub(crate) fn with_probes_alone(self) -> Self {
        Self {
            probes_alone: true,
            ..self
        }
    }

    /// Returns the address of the API's listener.
    ///
    /// # Errors
    ///
    /// If the system does not return it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.interface.local_addr()
    }

    /// Returns the address of the listener of management, the probes and the metrics.
    ///
    /// # Errors
    ///
    /// If the system does not return it.
    pub fn management_address(&self) -> io::Result<SocketAddr> {
        self.management.as_ref().unwrap_or(&self.interface).local_addr()
    }

    /// Returns the URL of the API, for a client on this machine.
    ///
    /// # Errors
    ///
    /// If the system does not return the address.
    pub fn url(&self) -> io::Result<String> {
        Ok(url(self.scheme(), self.address()?))
    }

    /// Returns a callback that counts operations of a store, for `/metrics`.
    pub fn store_observer(&self) -> impl Fn(&'static str, Duration) + Send + Sync + 'static {
        self.metrics.store_observer()
    }

    /// Returns an observer that counts deliveries, for `/metrics`.
    pub fn delivery_observer(&self) -> Arc<dyn DeliveryObserver> {
        Arc::new(self.metrics.deliveries.clone())
    }

    /// Returns an observer that counts pulls of connectors, for `/metrics`.
    pub(crate) fn pull_observer(&self) -> Arc<dyn PullObserver> {
        Arc::new(self.metrics.pulls.clone())
    }

    /// Returns a callback that counts undelivered events that were deleted, for `/metrics`.
    pub(crate) fn prune_observer(&self) -> impl Fn(u64) + Send + Sync + 'static {
        self.metrics.prune_observer()
    }

    /// Returns a callback that counts refreshes of tokens, for `/metrics`.
    pub(crate) fn refresh_observer(&self) -> RefreshObserver {
        self.metrics.refresh_observer()
    }

    /// Returns a callback that counts notices of providers, for `/metrics`.
    pub(crate) fn notice_observer(&self) -> NoticeObserver {
        self.metrics.notice_observer()
    }

    /// Returns the scheme of the API's listener, `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        scheme(self.setup.certificates(false).is_some())
    }

    /// Returns the scheme of the listener of management, the probes and the metrics, `http` or `https`.
    pub fn management_scheme(&self) -> &'static str {
        scheme(self.setup.certificates(self.management.is_some()).is_some())
    }

    /// Serves requests until `stop` is ready, then waits for those in progress within the limit.
    pub async fn run<A: Api + Backend + Pages>(self, api: Arc<A>, stop: impl Future<Output = ()>) {
        let (address, management) = (self.address().ok(), self.management_address().ok());
        let [address, management] = [address, management].map(|address| address.map(tracing::field::display));
        tracing::info!(address, management, "listening");
        let (state, shutdown) = watch::channel(ShutdownState::Open);
        let setup = self.setup;
        let mut reloading = JoinSet::new();
        if let Some(certificates) = setup.certificates.clone() {
            reloading.spawn(certificates.keep_fresh());
        }
        let routers = RouterBuilder {
            api: api.clone(),
            middleware: MiddlewareStack::new(&setup),
            setup: &setup,
            shutdown: &shutdown,
            connections: self.connections,
            faults: self.faults,
            demo: self.demo,
            simulated_providers: self.simulated_providers,
            inbox: self.inbox,
        };
        let mut listeners = JoinSet::new();
        match self.management {
            _ if self.probes_alone => {
                listeners.spawn(routers.listener(self.interface, routers.probes(), Side::Probes));
            }
            None => {
                let routes = routers.interface().merge(routers.management());
                listeners.spawn(routers.listener(self.interface, routes, Side::Both));
            }
            Some(management) => {
                listeners.spawn(routers.listener(self.interface, routers.interface(), Side::Interface));
                listeners.spawn(routers.listener(management, routers.management(), Side::Management));
            }
        }
        stop.await;
        tracing::info!("stopping");
        state.send_replace(ShutdownState::Draining);
        tokio::time::sleep(setup.settings.timeouts.drain_delay).await;
        state.send_replace(ShutdownState::Closing);
        api.end_streams();
        while listeners.join_next().await.is_some() {}
    }
}

/// Builds the routers of the listeners.
struct RouterBuilder<'s, A> {
    api: Arc<A>,
    middleware: Arc<MiddlewareStack>,
    setup: &'s Arc<Setup>,
    shutdown: &'s watch::Receiver<ShutdownState>,
    connections: usize,
    faults: bool,
    demo: Option<Arc<Demo>>,
    simulated_providers: Router,
    inbox: Option<Arc<Inbox>>,
}

/// Routes of a listener.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Interface,
    Management,
    Both,
    Probes,
}

impl<A: Api + Backend + Pages> RouterBuilder<'_, A> {
    fn interface(&self) -> Router<Arc<A>> {
        let routes = wearlab_server::base_routes()
            .merge(document::routes(&self.setup.prefix))
            .merge(A::pages())
            .merge(self.reference())
            .merge(self.simulated_providers.clone().with_state(()))
            .merge(self.inbox.clone().map_or_else(Router::new, notices::routes));
        self.with_faults(wearlab_http::limited(routes, &self.middleware))
    }

    fn reference(&self) -> Router<Arc<A>> {
        let settings = &self.setup.settings;
        if !settings.docs {
            return Router::new();
        }
        let management_here = !settings.has_management_listener();
        let reference = Reference::new(self.setup.prefix.clone(), management_here, self.demo.clone());
        reference::routes(reference)
    }

    /// Returns the management routes. The probes have no limit of requests: a service under load is alive.
    fn management(&self) -> Router<Arc<A>> {
        let pages = self.api.management_pages();
        let routes = wearlab_server::management_routes().merge(pages.layer(Extension(self.setup.metrics.clone())));
        self.with_faults(wearlab_http::limited(routes, &self.middleware))
            .merge(self.probes())
    }

    fn probes(&self) -> Router<Arc<A>> {
        wearlab_http::probes(self.setup, self.shutdown.clone())
    }

    /// Adds fault injection outside the limits: a delay takes no permit of another request, and may exceed the timeout.
    fn with_faults(&self, routes: Router<Arc<A>>) -> Router<Arc<A>> {
        match self.faults {
            true => routes.layer(from_fn(wearlab_http::make_faults)),
            false => routes,
        }
    }

    fn listener(&self, listener: TcpListener, routes: Router<Arc<A>>, side: Side) -> impl Future<Output = ()> + use<A> {
        let router = wearlab_http::layered(routes, self.api.clone(), &self.middleware);
        let (base, management) = (wearlab_server::BASE_ROUTES, wearlab_server::MANAGEMENT_ROUTES);
        let served = match side {
            Side::Interface => [base, &[]],
            Side::Management => [&[], management],
            Side::Both => [base, management],
            Side::Probes => [&[] as &[_], &[]],
        };
        // Fault injection needs the router.
        let fast_path = (!self.faults).then(|| {
            let routes = served.into_iter().flatten();
            FastPath::new(self.api.clone(), routes, self.middleware.clone())
        });
        let setup = self.setup.clone();
        Listener {
            listener,
            router,
            fast_path,
            certificates: setup.certificates(side == Side::Management),
            connections: self.connections,
            probes: side != Side::Interface,
            setup,
        }
        .serve(self.shutdown.clone())
    }
}

/// Returns the URL of an address for clients on this machine. An unspecified address becomes loopback.
fn url(scheme: &str, mut address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("{scheme}://{address}")
}

/// Returns the URL of the API with these settings.
pub(crate) fn configured_url(settings: &HttpSettings) -> String {
    url(scheme(settings.tls.is_some()), settings.listen)
}

fn scheme(tls: bool) -> &'static str {
    if tls { "https" } else { "http" }
}

async fn take(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let taken = TcpListener::bind(address).await;
    taken.map_err(|source| ServeError::Listen { address, source })
}
