//! Processes of soak tests and benchmarks: the binary under test, and third-party servers.

pub mod usage;

mod postgres;
mod server;
mod wearlab;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::{Context, Result};
use rand::RngExt;

pub use self::postgres::Postgres;
pub use self::server::Server;
pub use self::wearlab::{Logged, Service, Wearlab, read_lines};

/// Returns a free port that outgoing connections do not use, so that a server can restart on it. Linux gives them ports
/// from 32768 on.
///
/// # Errors
///
/// If there is none.
pub fn free_port() -> Result<SocketAddr> {
    let mut dice = rand::rng();
    for _ in 0..1000 {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, dice.random_range(20_000..32_000)));
        if TcpListener::bind(address).is_ok() {
            return Ok(address);
        }
    }
    None.context("there is no free port")
}
