//! A connection to the emulator that can be cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Forwards bytes, both ways.
pub(crate) struct Proxy {
    pub(crate) address: String,
    cuts: watch::Sender<usize>,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    /// Starts a proxy of an address. Each connection is cut after a number of forwarded bytes.
    pub(crate) async fn start(target: &str, cut_after: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (cuts, _) = watch::channel(0);
        let connections = Arc::new(AtomicUsize::new(0));
        let (target, cut, counted) = (target.to_owned(), cuts.clone(), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let (target, mut cut) = (target.clone(), cut.subscribe());
                tokio::spawn(async move {
                    tokio::select! {
                        _ = hand_on(client, &target, cut_after) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Self {
            address,
            cuts,
            connections,
        }
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

async fn hand_on(client: TcpStream, target: &str, cut_after: usize) -> std::io::Result<()> {
    let server = TcpStream::connect(target).await?;
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async move {
        let mut left = cut_after;
        let mut bytes = [0; 16 * 1024];
        while left > 0 {
            let length = from_client.read(&mut bytes).await?;
            if length == 0 {
                break;
            }
            let length = length.min(left);
            left -= length;
            to_server.write_all(&bytes[..length]).await?;
        }
        std::io::Result::Ok(())
    };
    tokio::select! {
        there = there => there,
        back = tokio::io::copy(&mut from_server, &mut to_client) => back.map(drop),
    }
}
