//! Bare sender with fe2o3-amqp, which authenticates like the service.

use std::collections::VecDeque;

use anyhow::{Context, Result, bail, ensure};
use axum::body::Bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use fe2o3_amqp::sasl_profile::SaslProfile;
use fe2o3_amqp::session::SessionHandle;
use fe2o3_amqp::types::definitions::SenderSettleMode;
use fe2o3_amqp::types::messaging::message::__private::Serializable;
use fe2o3_amqp::types::messaging::{
    ApplicationProperties, Batch, Body, Data, Message, MessageAnnotations, Outcome, Properties,
};
use fe2o3_amqp::types::primitives::{Binary, SimpleValue, Value};
use fe2o3_amqp::{Connection, Receiver, Sendable, Sender, Session};
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use tokio::net::TcpStream;

use super::{HUB, POLICY};
use crate::population::TEAM;

/// Number of envelopes in flight, as in Wearlab by default.
const WINDOW: usize = 100;
/// Message format of an envelope with several messages.
const BATCH_FORMAT: u32 = 0x8001_3700;
/// Validity of the token, in seconds.
const TOKEN_LIFE: i64 = 3600;

type Envelope = Sendable<Batch<Data>>;

/// Sends events, each in an envelope of its own, with at most `WINDOW` in flight, until all are accepted.
pub(super) async fn send(port: u16, events: impl Iterator<Item = (String, Bytes)>) -> Result<()> {
    // Created before the measurement.
    let envelopes = events
        .map(|(id, payload)| envelope(&id, &payload))
        .collect::<Result<Vec<_>>>()?;
    let stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let mut connection = Connection::builder()
        .container_id("bare")
        .hostname("127.0.0.1")
        .max_frame_size(65_536)
        .sasl_profile(SaslProfile::Anonymous)
        .open_with_stream(stream)
        .await?;
    let mut session = Session::begin(&mut connection).await?;
    log_in(&mut session).await?;
    let mut sender = Sender::builder()
        .name("bare")
        .target(HUB)
        .sender_settle_mode(SenderSettleMode::Unsettled)
        .attach(&mut session)
        .await?;
    let mut under_way = VecDeque::with_capacity(WINDOW);
    for envelope in envelopes {
        if under_way.len() == WINDOW
            && let Some(first) = under_way.pop_front()
        {
            accepted(first).await?;
        }
        under_way.push_back(sender.send_batchable(envelope).await?);
    }
    for confirm in under_way {
        accepted(confirm).await?;
    }
    sender.close().await?;
    session.end().await?;
    connection.close().await?;
    Ok(())
}

async fn accepted<E: std::error::Error + Send + Sync + 'static>(
    confirm: impl Future<Output = std::result::Result<Outcome, E>>,
) -> Result<()> {
    match confirm.await? {
        Outcome::Accepted(_) => Ok(()),
        other => bail!("an envelope was not taken: {other:?}"),
    }
}

/// Sends a token for the hub to the namespace.
async fn log_in(session: &mut SessionHandle<()>) -> Result<()> {
    let audience = format!("sb://127.0.0.1/{HUB}");
    let mut sender = Sender::attach(session, "cbs", "$cbs").await?;
    let responses = Receiver::builder().name("answers").source("$cbs").target("answers");
    let mut receiver = responses.attach(session).await?;
    let application = ApplicationProperties::builder()
        .insert("operation", "put-token")
        .insert("type", "servicebus.windows.net:sastoken")
        .insert("name", audience.as_str())
        .build();
    let request = Message::builder()
        .properties(Properties::builder().message_id(1_u64).reply_to("answers").build())
        .application_properties(application)
        .value(token(&audience)?)
        .build();
    accepted(std::future::ready(sender.send(request).await)).await?;
    let response = receiver.recv::<Body<Value>>().await?;
    receiver.accept(&response).await?;
    let properties = response.message().application_properties.as_ref();
    let status = properties
        .context("no status")?
        .get("status-code")
        .context("no status")?;
    ensure!(
        matches!(status, SimpleValue::Int(200..300)),
        "the token is not taken: {status:?}"
    );
    Ok(())
}

fn token(audience: &str) -> Result<String> {
    let [policy, key] = POLICY;
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let (audience, until) = (encode(audience), Utc::now().timestamp() + TOKEN_LIFE);
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes())?;
    mac.update(format!("{audience}\n{until}").as_bytes());
    let signature = encode(&STANDARD.encode(mac.finalize().into_bytes()));
    Ok(format!(
        "SharedAccessSignature sr={audience}&sig={signature}&se={until}&skn={policy}"
    ))
}

/// Returns an event in an envelope of its own, like the only event of a user in a batch.
fn envelope(id: &str, payload: &Bytes) -> Result<Envelope> {
    let event: serde_json::Value = serde_json::from_slice(payload)?;
    let said = |name: &str| event[name].as_str().unwrap_or_default();
    let key = || {
        MessageAnnotations::builder()
            .insert("x-opt-partition-key", said("user_id"))
            .build()
    };
    let properties = Properties::builder()
        .message_id(id.to_owned())
        .content_type("application/json")
        .build();
    let application = ApplicationProperties::builder()
        .insert("event-type", said("event_type"))
        .insert("event-id", id)
        .insert("team-id", TEAM.to_string())
        .insert("user-id", said("user_id"))
        .build();
    let message = Message::builder()
        .message_annotations(key())
        .properties(properties)
        .application_properties(application)
        .data(Binary::from(payload.to_vec()))
        .build();
    let encoded = serde_amqp::to_vec(&Serializable(message))?;
    let message = Message::builder()
        .message_annotations(key())
        .data_batch(Batch::new(vec![Data(Binary::from(encoded))]))
        .build();
    Ok(Sendable::builder()
        .message(message)
        .message_format(BATCH_FORMAT)
        .build())
}
