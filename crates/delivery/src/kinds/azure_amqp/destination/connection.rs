//! A connection to a namespace.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use fe2o3_amqp::connection::{ConnectionHandle, OpenError};
use fe2o3_amqp::link::SenderAttachError;
use fe2o3_amqp::sasl_profile::SaslProfile;
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::definitions::SenderSettleMode;
use fe2o3_amqp::{Connection as Amqp, Sender, Session};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_rustls::rustls::ClientConfig;

use super::cbs::{Cbs, Failed};
use super::fault::{Fault, condition};
use super::frames::{self, Frames};
use super::link::Link;
use crate::Reason;
use crate::egress::Policy;
use crate::kinds::azure_amqp::config::NamespaceConfig;
use crate::kinds::azure_amqp::settings::Settings;
use crate::socket::{Cut, Socket};

/// Validity of tokens. The connection is replaced well before that, so none is renewed.
const TOKEN_LIFE: Duration = Duration::from_secs(60 * 60);
const CONNECTION_LIFE: Duration = Duration::from_secs(45 * 60);
/// Maximum silence of the other side, in milliseconds.
const IDLE: u32 = 60_000;

/// A connection. Fields are dropped in this order: links close first, and the cut comes last.
pub(super) struct Connection {
    links: HashMap<String, Arc<Link>>,
    cbs: Cbs,
    session: SessionHandle<()>,
    handle: ConnectionHandle<()>,
    _cut: Cut,
    made: Instant,
    /// Reason for a broken connection. Tasks that wait for a confirm listen.
    broken: watch::Sender<Option<Reason>>,
}

impl Connection {
    /// Connects to a namespace. Bounded by the caller.
    pub(super) async fn open(
        endpoint: &NamespaceConfig,
        tls: Option<Arc<ClientConfig>>,
        policy: &Policy,
    ) -> Result<Self, Reason> {
        let NamespaceConfig { host, port, .. } = endpoint;
        let (socket, cut) = Socket::connect("the namespace", host, *port, tls, policy, Frames::default()).await?;
        let opened = Amqp::builder()
            .container_id("wearlab")
            .hostname(endpoint.host.as_str())
            .max_frame_size(frames::LONGEST)
            .idle_time_out(IDLE)
            .sasl_profile(SaslProfile::Anonymous)
            .open_with_stream(socket)
            .await;
        let mut handle = opened.map_err(|error| not_opened(&error))?;
        let failed = || Reason::new("the namespace did not open a session");
        let mut session = Session::begin(&mut handle).await.map_err(|_| failed())?;
        let cbs = Cbs::attach(&mut session).await;
        Ok(Self {
            links: HashMap::new(),
            cbs: cbs.map_err(|Failed| Reason::new("the namespace has no $cbs node for tokens"))?,
            session,
            handle,
            _cut: cut,
            made: Instant::now(),
            broken: watch::Sender::new(None),
        })
    }

    /// The connection, if it is still usable, without a request to the namespace.
    pub(super) fn if_active(mut self) -> Option<Self> {
        let good = self.broken.borrow().is_none()
            && !self.handle.is_closed()
            && !self.session.is_ended()
            && self.made.elapsed() < CONNECTION_LIFE;
        // Namespaces close links that were idle for long.
        let attached = |link: &mut Arc<Link>| Arc::get_mut(link).is_none_or(Link::is_attached);
        (good && self.links.values_mut().all(attached)).then_some(self)
    }

    /// Marks it as broken: late responses may still arrive, and are ignored.
    pub(super) fn set_broken(&self, why: Reason) {
        self.broken.send_replace(Some(why));
    }

    /// Runs work on its links, and aborts it when the connection ends: the library does not notify tasks that wait for
    /// a confirm.
    pub(super) async fn watch<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = self.handle.on_close() => {}
            _ = self.session.on_end() => {}
        }
        self.set_broken(Reason::new("the connection was lost before it was confirmed"));
        work.await
    }

    /// The link to a hub, created if there is none yet. Bounded by the caller.
    pub(super) async fn link(
        &mut self,
        hub: &str,
        endpoint: &NamespaceConfig,
        settings: &Settings,
    ) -> Result<Arc<Link>, Fault> {
        if let Some(link) = self.links.get(hub) {
            return Ok(Arc::clone(link));
        }
        let now = (settings.now)().duration_since(UNIX_EPOCH).unwrap_or_default();
        let audience = endpoint.audience(hub);
        let token = endpoint.token(&audience, (now + TOKEN_LIFE).as_secs());
        let attached = tokio::select! {
            biased;
            status = self.cbs.put_token(&audience, &token) => match status {
                Ok(200..300) => attach(hub, &mut self.session).await,
                Ok(status) => Err(not_let_in(hub, status)),
                Err(Failed) => Err(lost()),
            },
            _ = self.handle.on_close() => Err(lost()),
        };
        let sender = attached.inspect_err(|fault| {
            if let Fault::Namespace(reason) = fault {
                self.set_broken(reason.clone());
            }
        })?;
        let link = Arc::new(Link::new(hub, sender, self.broken.clone()));
        self.links.insert(hub.to_owned(), Arc::clone(&link));
        Ok(link)
    }
}

async fn attach(hub: &str, session: &mut SessionHandle<()>) -> Result<Sender, Fault> {
    let sender = Sender::builder()
        .name(format!("events-{hub}"))
        .target(hub)
        .sender_settle_mode(SenderSettleMode::Unsettled);
    sender.attach(session).await.map_err(|error| match error {
        SenderAttachError::RemoteClosedWithError(error) => Fault::link(hub, Some(&error)),
        SenderAttachError::IncomingTargetIsNone => Fault::missing(hub),
        _ => Fault::link(hub, None),
    })
}

/// Reason for a rejected token of a hub.
fn not_let_in(hub: &str, status: i32) -> Fault {
    let reason = match status {
        404 => return Fault::missing(hub),
        401 | 403 => {
            "the namespace rejected the credentials (401): check SharedAccessKeyName and SharedAccessKey of the connection \
             string, and this machine's clock"
                .to_owned()
        }
        status => format!("the namespace responded {status} to the token for event hub {hub}"),
    };
    Fault::Namespace(Reason::new(reason))
}

fn lost() -> Fault {
    Fault::Namespace(Reason::new("the connection was lost while sending a token"))
}

/// Reason for a failed connection. The namespace's own text is not repeated.
fn not_opened(error: &OpenError) -> Reason {
    match error {
        OpenError::Io(error) => Reason::cause("the namespace ended the connection", error),
        OpenError::RemoteClosedWithError(error) => {
            Reason::new(format!("the namespace closed the connection: {}", condition(error)))
        }
        OpenError::SaslError { .. } => Reason::new("the namespace rejects anonymous SASL"),
        OpenError::ProtocolHeaderMismatch(_) => Reason::new("the namespace's host does not speak AMQP 1.0"),
        _ => Reason::new("the namespace closed the connection"),
    }
}
