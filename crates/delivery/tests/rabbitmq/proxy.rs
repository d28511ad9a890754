//! A proxy of the broker that can fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Behaviour of the proxy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Way {
    /// Forwards everything.
    Open,
    /// Forwards bytes to the broker, and drops bytes from it.
    Mute,
    /// Forwards bytes from the broker, and from the next of those on drops bytes to it.
    Deafening,
    /// Drops bytes to the broker.
    Deaf,
    /// Connections are cut.
    Cut,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    way: Arc<watch::Sender<Way>>,
    connections: Arc<AtomicUsize>,
    /// Number of bytes to the broker.
    sent: Arc<AtomicUsize>,
}

impl Proxy {
    pub(crate) async fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let way = Arc::new(watch::Sender::new(Way::Open));
        let (connections, sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (ways, counted, counted_bytes) = (Arc::clone(&way), Arc::clone(&connections), Arc::clone(&sent));
        tokio::spawn(async move {
            while let Ok((here, _)) = listener.accept().await {
                let (ways, counted, counted_bytes) =
                    (Arc::clone(&ways), Arc::clone(&counted), Arc::clone(&counted_bytes));
                tokio::spawn(async move {
                    let Ok(there) = TcpStream::connect(("127.0.0.1", to)).await else {
                        return;
                    };
                    counted.fetch_add(1, Ordering::SeqCst);
                    let nobody_counts = AtomicUsize::new(0);
                    let ((from_here, to_here), (from_there, to_there)) = (here.into_split(), there.into_split());
                    tokio::select! {
                        () = pump(from_here, to_there, &ways, Way::Deaf, &counted_bytes) => {}
                        () = pump(from_there, to_here, &ways, Way::Mute, &nobody_counts) => {}
                    }
                    counted.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self {
            port,
            way,
            connections,
            sent,
        }
    }

    pub(crate) fn set(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// Number of open connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits for a number of further bytes to the broker.
    pub(crate) async fn after(&self, bytes: usize) {
        let until = self.sent.load(Ordering::SeqCst) + bytes;
        while self.sent.load(Ordering::SeqCst) < until {
            tokio::time::sleep(std::time::Duration::from_micros(200)).await;
        }
    }
}

/// Forwards bytes until either side ends or the proxy is cut. Drops them while the proxy is `loses`.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    set: &watch::Sender<Way>,
    loses: Way,
    count: &AtomicUsize,
) {
    let (mut buffer, mut ways) = (vec![0; 16 * 1024], set.subscribe());
    loop {
        let way = *ways.borrow_and_update();
        if way == Way::Cut {
            return;
        }
        tokio::select! {
            _ = ways.changed() => {}
            read = from.read(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(_) if *set.borrow() == loses => {}
                Ok(length) => {
                    if way == Way::Deafening && loses == Way::Mute {
                        set.send_replace(Way::Deaf);
                    }
                    count.fetch_add(length, Ordering::SeqCst);
                    if to.write_all(&buffer[..length]).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}
