//! Claims-based security: tokens are given to the namespace before a hub is used.

use fe2o3_amqp::link::{ReceiverAttachError, RecvError, SendError, SenderAttachError};
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::messaging::{ApplicationProperties, Body, Message, Outcome, Properties};
use fe2o3_amqp::types::primitives::{SimpleValue, Value};
use fe2o3_amqp::{Receiver, Sender};
use wearlab_models::Secret;

/// Where tokens are given, and where answers come back to.
const NODE: &str = "$cbs";
const ANSWERS: &str = "wearlab-cbs";

/// The links to the namespace's node for tokens.
pub(super) struct Cbs {
    sender: Sender,
    receiver: Receiver,
    asked: u64,
}

/// Why a token could not be given. What the library says about it may repeat the token.
pub(super) struct Failed;

impl Cbs {
    pub(super) async fn attach(session: &mut SessionHandle<()>) -> Result<Self, Failed> {
        let receiver = Receiver::builder().name("cbs-answers").source(NODE).target(ANSWERS);
        Ok(Self {
            sender: Sender::attach(session, "cbs", NODE).await?,
            receiver: receiver.attach(session).await?,
            asked: 0,
        })
    }

    /// Gives a token, and says which status the namespace answers with: 200 or 202 where it is good.
    pub(super) async fn put_token(&mut self, audience: &str, token: &Secret) -> Result<i32, Failed> {
        self.asked += 1;
        let properties = Properties::builder().message_id(self.asked).reply_to(ANSWERS).build();
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
        let answer = self.receiver.recv::<Body<Value>>().await?;
        self.receiver.accept(&answer).await.map_err(|_| Failed)?;
        let properties = answer.message().application_properties.as_ref().ok_or(Failed)?;
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
