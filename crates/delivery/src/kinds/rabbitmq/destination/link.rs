//! A connection to the broker, with a channel on it that confirms.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_compat::Compat;
use async_rs::Runtime;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions, ExchangeDeclareOptions};
use lapin::types::{FieldTable, ShortString};
use lapin::uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo, SASLMechanism};
use lapin::{
    AsyncTcpStream, BasicProperties, Channel, Confirmation, Connection, ConnectionProperties, Error, ExchangeKind,
};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::fault;
use super::frames::Frames;
use super::runtime::{QuietRuntime, quiet};
use crate::Reason;
use crate::kinds::rabbitmq::config::{AmqpUri, ExchangeConfig};
use crate::kinds::rabbitmq::settings::Settings;
use crate::socket::{Cut, Socket};
use crate::tls::{client_config, verifier};

/// Timeout of closing the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection to the broker, with a channel on it that confirms. It ends, and the thread that lapin has for it, a
/// second after this is dropped at the latest.
pub(super) struct Link {
    exchange: ShortString,
    /// Open connection. None while it is dropped.
    open: Option<Open>,
    /// True if a confirm without a waiting task is outstanding: it could be mistaken for that of another message.
    pub(super) spent: bool,
}

struct Open {
    connection: Connection,
    channel: Mutex<Channel>,
    cut: Cut,
}

impl Link {
    /// Connects, and checks that the exchange exists.
    pub(super) async fn open(config: &ExchangeConfig, settings: &Settings) -> Result<Self, Reason> {
        let AmqpUri { host, port, tls, .. } = &config.uri;
        let tls = match tls {
            true => Some(client_config(verifier(&settings.extra_roots)?)?),
            false => None,
        };
        let (socket, cut) =
            Socket::connect("the broker", host, *port, tls, &settings.policy, Frames::default()).await?;
        let stream = Mutex::new(Some(Compat::new(socket)));
        // lapin may ask again, for an obsolete connection.
        let once = async move |_, _| match stream.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(stream) => Ok(AsyncTcpStream::Plain(stream)),
            None => Err(std::io::Error::from(std::io::ErrorKind::ConnectionAborted).into()),
        };
        let properties = ConnectionProperties::default().with_connection_name("wearlab".into());
        let runtime = Runtime::new(QuietRuntime::current());
        let connection = Connection::connector(uri(&config.uri, settings.heartbeat), runtime, once, properties)
            .await
            .map_err(|error| fault::login(&error))?;
        let exchange = ShortString::from(config.exchange.as_str());
        let channel = channel(&connection, &exchange).await?;
        Ok(Self {
            exchange,
            open: Some(Open {
                connection,
                channel: Mutex::new(channel),
                cut,
            }),
            spent: false,
        })
    }

    /// Returns whether the connection is open, without a request.
    pub(super) fn is_active(&self) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| open.connection.status().connected() && open.channel().status().connected())
    }

    /// Returns whether the broker blocks publishers.
    pub(super) fn is_blocked(&self) -> bool {
        self.open
            .as_ref()
            .is_some_and(|open| open.connection.status().connected() && open.connection.status().blocked())
    }

    /// A new channel in place of one that the broker closed.
    pub(super) async fn reopen(&self) -> Result<(), Reason> {
        if let Some(open) = &self.open {
            let channel = channel(&open.connection, &self.exchange).await?;
            *open.channel.lock().unwrap_or_else(PoisonError::into_inner) = channel;
        }
        Ok(())
    }

    /// Publishes a message, and waits for the broker's confirm.
    pub(super) async fn publish(
        &self,
        key: ShortString,
        properties: BasicProperties,
        payload: &[u8],
    ) -> Result<Confirmation, Error> {
        let Some(open) = &self.open else {
            return Err(std::io::Error::from(std::io::ErrorKind::NotConnected).into());
        };
        let options = BasicPublishOptions {
            mandatory: true,
            immediate: false,
        };
        let exchange = self.exchange.clone();
        let channel = open.channel();
        let published = channel.basic_publish(exchange, key, options, payload, properties);
        published.await?.await
    }
}

impl Open {
    fn channel(&self) -> Channel {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Converts a URI for lapin. `heartbeat` is for one without: without heartbeats, a lost broker would not be noticed.
fn uri(uri: &AmqpUri, heartbeat: Duration) -> AMQPUri {
    let given = uri.heartbeat.filter(|seconds| *seconds > 0);
    let seconds = u16::try_from(heartbeat.as_secs()).unwrap_or(u16::MAX).max(1);
    AMQPUri {
        scheme: if uri.tls { AMQPScheme::AMQPS } else { AMQPScheme::AMQP },
        authority: AMQPAuthority {
            userinfo: AMQPUserInfo {
                username: uri.user.clone(),
                password: uri.password.expose().to_owned(),
            },
            host: uri.host.clone(),
            port: uri.port,
        },
        vhost: uri.vhost.clone(),
        query: AMQPQueryString {
            frame_max: uri.frame_max,
            channel_max: uri.channel_max,
            heartbeat: Some(given.unwrap_or(seconds)),
            connection_timeout: uri.connection_timeout,
            auth_mechanism: uri.amqplain.then_some(SASLMechanism::AMQPlain),
        },
    }
}

/// A channel with confirms, if the exchange exists.
async fn channel(connection: &Connection, exchange: &ShortString) -> Result<Channel, Reason> {
    let passive = ExchangeDeclareOptions {
        passive: true,
        ..ExchangeDeclareOptions::default()
    };
    let opened = async {
        let channel = connection.create_channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        let kind = ExchangeKind::Topic; // Brokers do not look at it when they are only asked.
        let arguments = FieldTable::default();
        channel
            .exchange_declare(exchange.clone(), kind, passive, arguments)
            .await?;
        Ok(channel)
    };
    opened
        .await
        .map_err(|error: Error| fault::publishing(&error, exchange.as_str()))
}

impl Drop for Link {
    fn drop(&mut self) {
        if let (Some(open), Ok(runtime)) = (self.open.take(), Handle::try_current()) {
            runtime.spawn(quiet(async move {
                let Open {
                    connection,
                    channel,
                    cut,
                } = open;
                let _ = timeout(CLOSE_TIMEOUT, connection.close(200, "OK".into())).await;
                drop((channel, connection, cut));
            }));
        }
    }
}
