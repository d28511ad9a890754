//! The three requests to a server.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Url};
use serde::Serialize;
use serde_json::value::RawValue;
use wearlab_models::Uuid;

use super::response::SvixResponse;
use crate::kinds::svix::server;
use crate::kinds::svix::settings::Settings;
use crate::{ConfigError, Message, Outcome, Reason, http};

/// The API of a server, for one application.
pub(super) struct Api {
    applications: Url,
    messages: Url,
    uid: String,
    credential: HeaderValue,
    settings: Settings,
    /// True if the application existed at the last request.
    made: AtomicBool,
}

/// Request that creates an application.
#[derive(Serialize)]
struct ApplicationIn<'a> {
    name: &'a str,
    uid: &'a str,
}

/// Request that creates a message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageIn<'a> {
    event_id: &'a str,
    event_type: &'a str,
    payload: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<[Uuid; 1]>,
}

impl Api {
    pub(super) fn new(team_id: Uuid, regional: bool, settings: &Settings) -> Result<Self, ConfigError> {
        let credential = server::credential(&settings.token)?;
        let mut base = server::url(settings, regional)?;
        // Only URLs with a host come here, and those have paths.
        if let Ok(mut path) = base.path_segments_mut() {
            path.pop_if_empty().extend(["api", "v1", "app"]);
        }
        let uid = team_id.to_string();
        let mut applications = base.clone();
        applications.set_query(Some("get_if_exists=true"));
        let mut messages = below(&base, &[&uid, "msg"]);
        // The response need not repeat the payload.
        messages.set_query(Some("with_content=false"));
        Ok(Self {
            applications,
            messages,
            uid,
            credential,
            settings: settings.clone(),
            made: AtomicBool::new(false),
        })
    }

    /// The host of the server.
    pub(super) fn host(&self) -> &str {
        self.messages.host_str().unwrap_or_default()
    }

    /// Creates the application, unless it exists. An error is the outcome of all messages.
    ///
    /// Messages could create their application, but then a 409 would not distinguish the two.
    pub(super) async fn make_application(&self) -> Result<(), Outcome> {
        if self.made.load(Ordering::Relaxed) {
            return Ok(());
        }
        let application = ApplicationIn {
            name: &self.uid,
            uid: &self.uid,
        };
        let body = serde_json::to_vec(&application).map_err(|_| down("the application cannot be written as JSON"))?;
        let request = self.client()?.post(self.applications.clone());
        let response = self.request(with_json(request, body)).await.map_err(of_all)?;
        if response.is_application(&self.uid) {
            self.made.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let code = response.status.as_u16();
        Err(match (code, response.fault()) {
            (200..=299 | 404, _) => down(&format!("responded {code}: not a Svix server; check its URL")),
            (400 | 413 | 422, _) => down(&format!(
                "responded {code}: the server did not create the application of the team"
            )),
            (_, fault) => of_all(fault),
        })
    }

    /// Creates a message of an event.
    pub(super) async fn send(&self, message: &Message) -> Outcome {
        self.try_send(message).await.unwrap_or_else(|fault| fault)
    }

    async fn try_send(&self, message: &Message) -> Result<Outcome, Outcome> {
        let refused = |reason: &str| Outcome::Refused {
            reason: Reason::new(reason),
        };
        let payload = serde_json::from_slice(&message.payload).map_err(|_| refused("the payload is not JSON"))?;
        let message_in = MessageIn {
            event_id: &message.event_id,
            event_type: &message.event_type,
            payload,
            channels: message.user_id.map(|user_id| [user_id]),
        };
        let body = serde_json::to_vec(&message_in).map_err(|_| refused("the event cannot be written as JSON"))?;
        let request = self.client()?.post(self.messages.clone());
        let response = self.request(with_json(request, body)).await?;
        if let Some(outcome) = response.of_message() {
            return Ok(outcome);
        }
        match response.status.as_u16() {
            409 => self.find_message(&message.event_id).await,
            404 => {
                self.made.store(false, Ordering::Relaxed);
                Ok(response.fault())
            }
            _ => Ok(response.fault()),
        }
    }

    /// Returns whether the message that has the id of an event is the application's: ids are shared by all
    /// applications.
    async fn find_message(&self, event_id: &str) -> Result<Outcome, Outcome> {
        let request = self.client()?.get(below(&self.messages, &[event_id]));
        let response = self.request(request).await?;
        match response.status.as_u16() {
            200..=299 if response.is_message(event_id) => Ok(Outcome::Delivered),
            200..=299 | 400 | 404 | 422 => Ok(Outcome::Retry {
                reason: Reason::new("responded 409: another application of the environment has a message with this id"),
                not_before: None,
            }),
            _ => Ok(response.fault()),
        }
    }

    fn client(&self) -> Result<Client, Outcome> {
        let client = self.settings.http();
        client.map_err(|error| Outcome::Down {
            reason: Reason::cause(
                "no TLS; check the system's certificates and those that are trusted besides",
                &error,
            ),
        })
    }

    /// Sends a request, and waits for the response. An error is the outcome without one.
    async fn request(&self, request: RequestBuilder) -> Result<SvixResponse, Outcome> {
        let request = request
            .header(AUTHORIZATION, self.credential.clone())
            .timeout(self.settings.timeout);
        let response = request.send().await.map_err(|error| {
            let reason = http::failure(&error, self.settings.timeout);
            match error.is_timeout() || error.is_connect() {
                true => Outcome::Down { reason },
                false => Outcome::Retry {
                    reason,
                    not_before: None,
                },
            }
        })?;
        let retry_after = response.headers().get(RETRY_AFTER);
        let not_before = retry_after.and_then(|value| http::pause(value.to_str().ok()?, (self.settings.now)()));
        Ok(SvixResponse {
            status: response.status(),
            not_before,
            body: http::body(response).await,
        })
    }
}

/// A URL below another one, with the same query.
fn below(url: &Url, segments: &[&str]) -> Url {
    let mut url = url.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.extend(segments);
    }
    url
}

fn with_json(request: RequestBuilder, body: Vec<u8>) -> RequestBuilder {
    request.header(CONTENT_TYPE, "application/json").body(body)
}

/// Returns the outcome of a fault before anything was sent: it concerns no message in particular.
fn of_all(fault: Outcome) -> Outcome {
    match fault {
        Outcome::Retry {
            reason,
            not_before: None,
        } => Outcome::Down { reason },
        other => other,
    }
}

fn down(reason: &str) -> Outcome {
    Outcome::Down {
        reason: Reason::new(reason),
    }
}
