//! Webhook receiver on loopback, which checks every signature, and can hang, refuse, cut connections or stop.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::{JoinHandle, JoinSet};
use wearlab_models::webhook::{SigningSecret, verify};

use crate::sink::{Received, Sink};
use crate::world::team_id;
use wearlab_tests::process::Wearlab;
use wearlab_tests::process::free_port;

const FAULTS: [&str; 5] = ["answers 500", "answers 429", "hangs", "cuts connections", "is gone"];
/// Maximum length of an event in a soak test.
const MAX_BODY: usize = 1024 * 1024;

/// Webhook receiver.
pub(crate) struct Receiver {
    address: SocketAddr,
    runtime: Runtime,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
}

struct State {
    /// Secret of each team.
    secrets: Vec<SigningSecret>,
    mood: Behaviour,
    received: Vec<Received>,
    /// Invalid requests.
    offences: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
enum Behaviour {
    Well,
    /// Responds with a status.
    Refusing(StatusCode),
    Hanging,
    Cutting,
}

impl Receiver {
    /// Starts a receiver.
    pub(crate) fn new() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let state = State {
            secrets: Vec::new(),
            mood: Behaviour::Well,
            received: Vec::new(),
            offences: Vec::new(),
        };
        let mut receiver = Self {
            address: free_port()?,
            runtime,
            shared: Arc::new(Shared {
                state: Mutex::new(state),
            }),
            listening: None,
        };
        receiver.listen()?;
        Ok(receiver)
    }

    fn listen(&mut self) -> Result<()> {
        if self.listening.is_none() {
            let listener = self.runtime.block_on(TcpListener::bind(self.address));
            let listener = listener.context("the receiver cannot listen again")?;
            self.listening = Some(self.runtime.spawn(accept(listener, Arc::clone(&self.shared))));
        }
        Ok(())
    }

    /// Closes the port and all connections.
    fn close(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
            let _ = self.runtime.block_on(listening);
        }
    }
}

/// Returns settings that allow webhooks to loopback.
pub(super) fn settings() -> Vec<String> {
    let settings = [
        "webhooks.allow_http=true",
        "webhooks.allow_networks=127.0.0.0/8",
        // For the broker of `elsewhere`.
        "egress.allow_plaintext=true",
        "egress.allow_networks=127.0.0.0/8",
        "webhooks.timeout=1s",
    ];
    settings.map(str::to_owned).to_vec()
}

impl Sink for Receiver {
    fn settings(&self) -> Vec<String> {
        settings()
    }

    fn pipeline(&self) -> Value {
        json!({"preferences": {"preferred": "svix", "enabled": ["svix"]}, "svix": {"regional": false}})
    }

    fn elsewhere(&self) -> Value {
        // A port without a listener, so that no event is lost there.
        json!({
            "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
            "rabbitmq": {"uri": "amqp://127.0.0.1:9", "exchange": "nowhere"},
        })
    }

    fn connect(&mut self, wearlab: &Wearlab, teams: usize) -> Result<()> {
        for team in 0..teams {
            let url = format!("http://{}/{team}", self.address);
            let message = wearlab.says(&["webhooks", "add", &url, "--team", &team_id(team).to_string()])?;
            let secret = message.lines().nth(1).context("no secret of the webhook")?;
            self.shared.state().secrets.push(secret.parse()?);
        }
        Ok(())
    }

    fn ordered(&self) -> bool {
        false
    }

    fn faults(&self) -> &'static [&'static str] {
        &FAULTS
    }

    fn rest(&self) -> u32 {
        // An event that fails twice waits for minutes.
        2
    }

    fn fail(&mut self, fault: usize) -> Result<()> {
        let mood = match fault {
            0 => Behaviour::Refusing(StatusCode::INTERNAL_SERVER_ERROR),
            1 => Behaviour::Refusing(StatusCode::TOO_MANY_REQUESTS),
            2 => Behaviour::Hanging,
            3 => Behaviour::Cutting,
            _ => {
                self.close();
                return Ok(());
            }
        };
        self.shared.state().mood = mood;
        Ok(())
    }

    fn heal(&mut self) -> Result<()> {
        self.shared.state().mood = Behaviour::Well;
        self.listen()
    }

    fn take(&mut self) -> Result<Vec<Received>> {
        let mut state = self.shared.state();
        if !state.offences.is_empty() {
            bail!("at the receiver: {}", state.offences.join("; "));
        }
        Ok(std::mem::take(&mut state.received))
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request, whatever the response is: it may count as delivered anyway.
    async fn receive(&self, request: Request<Incoming>) -> Result<Response<Body>> {
        let (parts, body) = request.into_parts();
        // A request that a kill has cut is ignored.
        let Ok(body) = to_bytes(Body::new(body), MAX_BODY).await else {
            return response(StatusCode::BAD_REQUEST);
        };
        let mood = {
            let mut state = self.state();
            let header = |name: &str| parts.headers.get(name)?.to_str().ok();
            let team = parts.uri.path().trim_start_matches('/').parse().unwrap_or(usize::MAX);
            let read = match state.secrets.get(team) {
                Some(secret) => verify(header, &body, secret, SystemTime::now()).map_err(|error| error.to_string()),
                None => Err("nobody knows its secret".to_owned()),
            };
            match (read, header("webhook-id")) {
                (Ok(event), Some(event_id)) => {
                    let kept = matches!(state.mood, Behaviour::Well);
                    let received = Received {
                        team,
                        event_id: event_id.to_owned(),
                        event_type: event.event_type().to_owned(),
                        payload: body.to_vec(),
                        at: Instant::now(),
                        kept,
                    };
                    state.received.push(received);
                }
                (read, _) => {
                    let error = read.err().unwrap_or_default();
                    state.offences.push(format!("a request that is no webhook: {error}"));
                }
            }
            state.mood
        };
        match mood {
            Behaviour::Well => response(StatusCode::NO_CONTENT),
            Behaviour::Refusing(status) => response(status),
            Behaviour::Hanging => {
                tokio::time::sleep(Duration::from_secs(600)).await;
                response(StatusCode::NO_CONTENT)
            }
            Behaviour::Cutting => bail!("cut"),
        }
    }
}

fn response(status: StatusCode) -> Result<Response<Body>> {
    let mut response = Response::builder().status(status);
    if status == StatusCode::TOO_MANY_REQUESTS {
        response = response.header(header::RETRY_AFTER, "1");
    }
    Ok(response.body(Body::empty())?)
}

/// Serves all connections until it is dropped, which closes them.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    let service = service_fn(|request| shared.receive(request));
                    // The connection ends when the service is killed, or by a fault.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                    Ok::<_, Infallible>(())
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
