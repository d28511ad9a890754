//! Claims-based security: sends tokens to the namespace before a hub is used.

use fe2o3_amqp::link::{ReceiverAttachError, RecvError, SendError, SenderAttachError};
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::messaging::{ApplicationProperties, Body, Message, Outcome, Properties};
use fe2o3_amqp::types::primitives::{SimpleValue, Value};
use fe2o3_amqp::{Receiver, Sender};
use wearlab_models::Secret;

/// Addresses of tokens and of their responses.
const NODE: &str = "$cbs";
const RESPONSES: &str = "wearlab-cbs";

/// The links to the namespace's node for tokens.
pub(super) struct Cbs {
    sender: Sender,
    receiver: Receiver,
    requests: u64,
}

/// Error of a token that could not be sent. The library's text may repeat the token.
pub(super) struct Failed;

impl Cbs {
    pub(super) async fn attach(session: &mut SessionHandle<()>) -> Result<Self, Failed> {
        let receiver = Receiver::builder().name("cbs-responses").source(NODE).target(RESPONSES);
        Ok(Self {
            sender: Sender::attach(session, "cbs", NODE).await?,
            receiver: receiver.attach(session).await?,
            requests: 0,
        })
    }

    /// Sends a token, and returns the status of the response: 200 or 202 if the token is valid.
    pub(super) async fn put_token(&mut self, audience: &str, token: &Secret) -> Result<i32, Failed> {
        self.requests += 1;
        let properties = Properties::builder()
            .message_id(self.requests)
            .reply_to(RESPONSES)
            .build();
        let application = ApplicationProperties::builder()
            .insert("operation", "put-token")
            .insert("type", "servicebus.windows.net:sastoken")
            .insert("name", audience)
            .build();
        let request = Message::builder()
            .properties(properties)
            .application_properties(application)
            .value(token.expose().to_owned())
            .build();
        let Outcome::Accepted(_) = self.sender.send(request).await? else {
            return Err(Failed);
        };
        let response = self.receiver.recv::<Body<Value>>().await?;
        self.receiver.accept(&response).await.map_err(|_| Failed)?;
        let properties = response.message().application_properties.as_ref().ok_or(Failed)?;
        match properties.get("status-code") {
            Some(SimpleValue::Int(status)) => Ok(*status),
            _ => Err(Failed),
        }
    }
}

impl From<SenderAttachError> for Failed {
    fn from(_: SenderAttachError) -> Self {
        Self
    }
}

impl From<ReceiverAttachError> for Failed {
    fn from(_: ReceiverAttachError) -> Self {
        Self
    }
}

impl From<SendError> for Failed {
    fn from(_: SendError) -> Self {
        Self
    }
}

impl From<RecvError> for Failed {
    fn from(_: RecvError) -> Self {
        Self
    }
}
