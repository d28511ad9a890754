//! The way to a broker: TCP, with TLS or without, and a switch that cuts it.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

use crate::Reason;
use crate::pipeline::AmqpUri;

/// A stream ends when this is dropped, whatever the other side does.
pub(super) struct Cut {
    _sender: oneshot::Sender<Infallible>,
}

/// The way to a broker, as lapin reads and writes it.
pub(super) struct Stream {
    transport: Box<dyn Transport>,
    /// Nothing, once it was cut.
    cut: Option<oneshot::Receiver<Infallible>>,
}

trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

impl Stream {
    /// Connects to the host of a URI.
    pub(super) async fn open(uri: &AmqpUri, extra_roots: &[Vec<u8>]) -> Result<(Self, Cut), Reason> {
        let (host, port) = (uri.host.as_str(), uri.port);
        let failed = |error| Reason::cause("no connection to the broker", &error);
        let tcp = TcpStream::connect((host, port)).await.map_err(failed)?;
        tcp.set_nodelay(true).map_err(failed)?;
        let transport: Box<dyn Transport> = match uri.tls {
            false => Box::new(tcp),
            true => {
                let name = ServerName::try_from(host.to_owned())
                    .map_err(|_| Reason::new("no TLS with the broker: its host is no name that a certificate has"))?;
                let config = client_config(extra_roots)?;
                let tls = TlsConnector::from(Arc::new(config)).connect(name, tcp).await;
                Box::new(tls.map_err(|error| Reason::cause("no TLS with the broker", &error))?)
            }
        };
        let (sender, receiver) = oneshot::channel();
        let stream = Self {
            transport,
            cut: Some(receiver),
        };
        Ok((stream, Cut { _sender: sender }))
    }
}

/// Trusts what the system trusts, and the certificates that an operator adds.
fn client_config(extra_roots: &[Vec<u8>]) -> Result<ClientConfig, Reason> {
    let failed = |error: &dyn std::error::Error| {
        Reason::cause(
            "no TLS: check the system's certificates and those in the setting `extra_roots`",
            error,
        )
    };
    let mut roots = Vec::new();
    for pem in extra_roots {
        for certificate in CertificateDer::pem_slice_iter(pem) {
            roots.push(certificate.map_err(|error| failed(&error))?);
        }
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider)).map_err(|error| failed(&error))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

impl futures_io::AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        // Only here: lapin always waits for something to read, and a receiver wakes one waiter.
        if this.cut.as_mut().is_none_or(|cut| Pin::new(cut).poll(cx).is_ready()) {
            this.cut = None;
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let mut read = ReadBuf::new(buffer);
        ready!(Pin::new(&mut this.transport).poll_read(cx, &mut read))?;
        Poll::Ready(Ok(read.filled().len()))
    }
}

impl futures_io::AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(cx)
    }
}
