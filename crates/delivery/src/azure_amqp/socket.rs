//! The way to a namespace: TCP, TLS, and a cut that ends it whatever the other side does.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig};

use super::Settings;
use crate::Reason;
use crate::pipeline::NamespaceConfig;

/// What reads and writes.
trait Line: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Line for T {}

/// A connection that ends when its [`Cut`] is dropped.
///
/// The tasks of the AMQP library wait for the other side's goodbye without a limit.
pub(super) struct Socket {
    line: Box<dyn Line>,
    cut: oneshot::Receiver<()>,
    is_cut: bool,
}

/// Cuts a [`Socket`] when it is dropped.
pub(super) struct Cut(#[expect(dead_code, reason = "its end is what is noticed")] oneshot::Sender<()>);

/// Connects to a namespace.
pub(super) async fn connect(
    endpoint: &NamespaceConfig,
    tls: Option<&Arc<ClientConfig>>,
) -> Result<(Socket, Cut), Reason> {
    let address = format!("{}:{}", endpoint.host, endpoint.port);
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| Reason::cause("the namespace cannot be reached", &error))?;
    // Confirms are waited for: small frames must not be held back.
    let _ = stream.set_nodelay(true);
    let line: Box<dyn Line> = match tls {
        None => Box::new(stream),
        Some(tls) => {
            let name = endpoint.host.trim_matches(['[', ']']).to_owned();
            let name =
                ServerName::try_from(name).map_err(|_| Reason::new("the namespace's host is no name for TLS"))?;
            let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await;
            Box::new(stream.map_err(|error| Reason::cause("no TLS with the namespace", &error))?)
        }
    };
    let (sender, cut) = oneshot::channel();
    let socket = Socket {
        line,
        cut,
        is_cut: false,
    };
    Ok((socket, Cut(sender)))
}

/// How TLS is done: by the system's certificates, and those of the settings.
pub(super) fn tls(settings: &Settings) -> Result<Arc<ClientConfig>, Reason> {
    let failed = |error: rustls::Error| Reason::cause("no TLS: check the system's certificates", &error);
    let certificates = settings
        .extra_roots
        .iter()
        .flat_map(|pem| CertificateDer::pem_slice_iter(pem));
    let certificates: Result<Vec<_>, _> = certificates.collect();
    let certificates = certificates.map_err(|_| Reason::new("no TLS: a certificate in `extra_roots` is not PEM"))?;
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Verifier::new_with_extra_roots(certificates, Arc::clone(&provider)).map_err(failed)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

impl Socket {
    /// An error once it is cut. One task alone reads and writes, so that it is woken.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if !self.is_cut {
            self.is_cut = Pin::new(&mut self.cut).poll(cx).is_ready();
        }
        match self.is_cut {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.line).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.line).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.line).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.line).poll_shutdown(cx)
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Socket(..)")
    }
}
