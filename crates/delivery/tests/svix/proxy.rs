//! A proxy between client and server, which can be cut, stopped and restarted.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

pub(crate) struct Proxy {
    pub(crate) url: String,
    address: SocketAddr,
    upstream: String,
    cut: broadcast::Sender<()>,
    open: Arc<AtomicUsize>,
    accepting: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts a proxy of the server at a URL.
    pub(crate) async fn before(url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut proxy = Self {
            url: format!("http://{address}"),
            address,
            upstream: url.trim_start_matches("http://").to_owned(),
            cut: broadcast::channel(1).0,
            open: Arc::default(),
            accepting: None,
        };
        proxy.accept(listener);
        proxy
    }

    fn accept(&mut self, listener: TcpListener) {
        let (upstream, cut, open) = (self.upstream.clone(), self.cut.clone(), Arc::clone(&self.open));
        self.accepting = Some(tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (upstream, mut cut, open) = (upstream.clone(), cut.subscribe(), Arc::clone(&open));
                open.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(upstream).await.expect("the server is there");
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = cut.recv() => {}
                    }
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        }));
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        let _ = self.cut.send(());
    }

    /// Stops: connections are cut, and new ones rejected.
    pub(crate) async fn stop(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.abort();
            let _ = accepting.await;
        }
        self.cut();
    }

    pub(crate) async fn start_again(&mut self) {
        let listener = TcpListener::bind(self.address).await.expect("the port is free");
        self.accept(listener);
    }

    /// Number of open connections.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.abort();
        }
        self.cut();
    }
}
