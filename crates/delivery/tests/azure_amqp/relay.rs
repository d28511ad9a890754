//! A relay to a peer that can be cut, closed, and use TLS.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// Number of the sender's bytes before a connection is cut: no limit.
const NO_LIMIT: usize = usize::MAX;

/// A relay to a port on loopback, stopped on drop.
pub(crate) struct Relay {
    pub(crate) port: u16,
    /// True if it is open: otherwise, new connections are closed immediately.
    open: watch::Sender<bool>,
    limit: Arc<AtomicUsize>,
    accepted: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Relay {
    pub(crate) async fn start(to: u16, tls: Option<TlsAcceptor>) -> Self {
        Self::start_with(to, tls, None).await
    }

    /// Cuts each connection, by its number, after a number of the sender's bytes.
    pub(crate) async fn cutting_each(to: u16, bytes: fn(usize) -> usize) -> Self {
        Self::start_with(to, None, Some(bytes)).await
    }

    async fn start_with(to: u16, tls: Option<TlsAcceptor>, limit_each: Option<fn(usize) -> usize>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (open, is_open) = watch::channel(true);
        let limit = Arc::new(AtomicUsize::new(NO_LIMIT));
        let accepted = Arc::<AtomicUsize>::default();
        let (limit_of, counted) = (Arc::clone(&limit), Arc::clone(&accepted));
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                let number = counted.fetch_add(1, Ordering::SeqCst);
                let limit = match limit_each {
                    Some(bytes) => Arc::new(AtomicUsize::new(bytes(number))),
                    None => Arc::clone(&limit_of),
                };
                let (mut is_open, tls) = (is_open.clone(), tls.clone());
                tokio::spawn(async move {
                    if !*is_open.borrow() {
                        return;
                    }
                    let relayed = async {
                        match tls {
                            Some(tls) => relay(tls.accept(stream).await.ok()?, to, limit).await,
                            None => relay(stream, to, limit).await,
                        }
                    };
                    tokio::select! {
                        _ = relayed => {}
                        _ = is_open.wait_for(|open| !open) => {}
                    }
                });
            }
        });
        Self {
            port,
            open,
            limit,
            accepted,
            task,
        }
    }

    /// Cuts all connections, and ends new ones until it is opened again.
    pub(crate) fn close(&self) {
        self.open.send_replace(false);
    }

    pub(crate) fn open(&self) {
        self.limit.store(NO_LIMIT, Ordering::SeqCst);
        self.open.send_replace(true);
    }

    /// Cuts one connection after another number of the sender's bytes.
    pub(crate) fn cut_after(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::SeqCst);
    }

    /// Number of accepted connections.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.close();
        self.task.abort();
    }
}

async fn relay(sender: impl AsyncRead + AsyncWrite, to: u16, limit: Arc<AtomicUsize>) -> Option<()> {
    let peer = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], to))).await.ok()?;
    let (mut from_peer, mut to_peer) = peer.into_split();
    let (mut from_sender, mut to_sender) = tokio::io::split(sender);
    let back = tokio::io::copy(&mut from_peer, &mut to_sender);
    let there = async {
        let mut buffer = vec![0; 4096];
        loop {
            let count = from_sender.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
            let left = limit.load(Ordering::SeqCst);
            to_peer.write_all(&buffer[..count.min(left)]).await.ok()?;
            if left != NO_LIMIT {
                if count >= left {
                    limit.store(NO_LIMIT, Ordering::SeqCst);
                    return Some(());
                }
                limit.fetch_sub(count, Ordering::SeqCst);
            }
        }
    };
    tokio::select! {
        _ = back => {}
        _ = there => {}
    }
    Some(())
}
