//! A TCP connection to a broker, with TLS or without, that can be cut.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::Reason;
use crate::egress::Policy;

trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// Inspector of all bytes of a peer before a library parses them.
pub(crate) trait Inspect {
    /// Takes the bytes that were read. An error ends the connection, and the bytes are dropped.
    fn inspect(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// A connection that ends when its [`Cut`] is dropped: AMQP libraries wait without a limit for the peer to close it.
pub(crate) struct Socket {
    transport: Box<dyn Transport>,
    inspect: Box<dyn Inspect + Send>,
    /// Reader and writer may be different tasks, and a receiver wakes one.
    read: Switch,
    write: Switch,
}

/// Cuts a [`Socket`] when it is dropped.
pub(crate) struct Cut {
    _senders: [oneshot::Sender<Infallible>; 2],
}

/// Receiver of the cut. None after it.
struct Switch(Option<oneshot::Receiver<Infallible>>);

impl Socket {
    /// Connects to `host`, which may be an IPv6 address in brackets, at an address that a policy allows. `peer` names it in
    /// errors, such as `the broker`.
    pub(crate) async fn connect(
        peer: &str,
        host: &str,
        port: u16,
        tls: Option<Arc<ClientConfig>>,
        policy: &Policy,
        inspect: impl Inspect + Send + 'static,
    ) -> Result<(Self, Cut), Reason> {
        let host = host.trim_matches(['[', ']']);
        let failed = |error| Reason::cause(&format!("no connection to {peer}"), &error);
        let refused = |error: &dyn Error| Reason::cause(&format!("no connection to {peer}"), error);
        let checked = policy.check_host(host, tls.is_some());
        checked.map_err(|error| refused(&error))?;
        let addresses = policy.resolve(host, port).await.map_err(|error| refused(&error))?;
        let tcp = TcpStream::connect(addresses.as_slice()).await.map_err(failed)?;
        // Confirms are awaited: small frames must not be delayed.
        tcp.set_nodelay(true).map_err(failed)?;
        let transport: Box<dyn Transport> = match tls {
            None => Box::new(tcp),
            Some(config) => {
                let name = ServerName::try_from(host.to_owned())
                    .map_err(|_| Reason::new(format!("no TLS with {peer}: no certificate can be for its host")))?;
                let tls = TlsConnector::from(config).connect(name, tcp).await;
                Box::new(tls.map_err(|error| Reason::cause(&format!("no TLS with {peer}"), &error))?)
            }
        };
        let ((read, read_switch), (write, write_switch)) = (oneshot::channel(), oneshot::channel());
        let socket = Self {
            transport,
            inspect: Box::new(inspect),
            read: Switch(Some(read_switch)),
            write: Switch(Some(write_switch)),
        };
        Ok((
            socket,
            Cut {
                _senders: [read, write],
            },
        ))
    }
}

impl Switch {
    /// Fails after the cut.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.0.as_mut().is_some_and(|cut| Pin::new(cut).poll(cx).is_ready()) {
            self.0 = None;
        }
        match self.0 {
            Some(_) => Ok(()),
            None => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.read.check(cx)?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.transport).poll_read(cx, buffer))?;
        let inspected = self.inspect.inspect(&buffer.filled()[before..]);
        if inspected.is_err() {
            buffer.set_filled(before);
        }
        Poll::Ready(inspected)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write.check(cx)?;
        Pin::new(&mut self.transport).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write.check(cx)?;
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.write.check(cx)?;
        Pin::new(&mut self.transport).poll_shutdown(cx)
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Socket(..)")
    }
}
