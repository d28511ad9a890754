//! Test back end that is slow, panics, or is not ready, on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wearlab::serve::{Pages, Server};
use wearlab_http::Backend;
use wearlab_http::settings::HttpSettings;
use wearlab_models::{User, UserList};
use wearlab_server::{ApiError, ApiResult, Auth, GetUserInput, ListUsersInput, Partial, PartialApi, Scoped};
use wearlab_tests::{on_free_ports, url};

/// Header that authenticates everything.
pub(super) const KEY: (&str, &str) = ("x-service-api-key", "any");

#[derive(Default)]
pub(super) struct Odd {
    /// True if it reports that it is not ready.
    pub(super) away: AtomicBool,
}

/// Test back end with its server.
pub(super) struct Served {
    pub(super) url: String,
    pub(super) management_url: String,
    pub(super) api: Arc<Partial<Odd>>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<()>,
}

impl Served {
    pub(super) async fn start(settings: HttpSettings) -> Self {
        let server = Server::bind(on_free_ports(settings)).await.expect("free ports");
        let (stop, stopped) = oneshot::channel();
        let api = Arc::new(Partial(Odd::default()));
        Self {
            url: url(server.scheme(), server.address()),
            management_url: url(server.management_scheme(), server.management_address()),
            api: api.clone(),
            stop: Some(stop),
            running: tokio::spawn(server.run(api, async {
                let _ = stopped.await;
            })),
        }
    }

    /// Returns the URL of an operation that takes this number of milliseconds.
    pub(super) fn slow(&self, milliseconds: u64) -> String {
        format!("{}/v2/user/?offset={milliseconds}", self.url)
    }

    /// Requests the server to stop.
    pub(super) fn stop(&mut self) {
        self.stop.take();
    }

    /// Waits until the server has stopped.
    pub(super) async fn ended(&mut self) {
        let ended = tokio::time::timeout(super::TIMEOUT, &mut self.running).await;
        ended.expect("it ends").expect("it does not fail");
    }
}

impl Pages for Odd {}

impl Backend for Odd {
    async fn ready(&self) -> Result<(), ApiError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(ApiError::unavailable(Duration::from_secs(3)));
        }
        Ok(())
    }
}

/// Caller of the test back end.
pub(super) struct Caller;

impl Scoped for Caller {
    fn has_scope(&self, _: &str) -> bool {
        true
    }
}

impl Auth for Odd {
    type TeamApiKey = Caller;
    type LinkToken = ();
    type ManagementKey = Caller;

    async fn team_api_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }

    async fn link_token(&self, _: &str) -> Result<(), ApiError> {
        Ok(())
    }

    async fn management_key(&self, _: &str) -> Result<Caller, ApiError> {
        Ok(Caller)
    }
}

impl PartialApi for Odd {
    async fn list_users(&self, _: Caller, input: ListUsersInput) -> ApiResult<UserList> {
        tokio::time::sleep(Duration::from_millis(input.offset.unsigned_abs())).await;
        let list = UserList::builder().users(Vec::new()).total(0);
        Ok(list.offset(input.offset).limit(input.limit).build().into())
    }

    async fn get_user(&self, _: Caller, input: GetUserInput) -> ApiResult<User> {
        panic!("user {} is called Ada", input.user_id)
    }
}
