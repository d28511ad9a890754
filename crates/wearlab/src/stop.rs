//! Shutdown signals of a process.

use std::future::Future;
use std::io;

use tokio::sync::watch;

/// Receiver of shutdown signals: Ctrl-C, SIGTERM, or SIGHUP. Clones are notified, too.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Starts to listen. From then on, the signals no longer end the process by themselves.
    ///
    /// # Errors
    ///
    /// If the system does not allow that.
    pub fn listen() -> io::Result<Self> {
        let (sender, receiver) = watch::channel(false);
        let signals = signals()?;
        tokio::spawn(async move {
            signals.await;
            let _ = sender.send(true);
        });
        Ok(Self(receiver))
    }

    /// Completes when the process is asked to stop.
    pub async fn asked(&mut self) {
        if self.0.wait_for(|asked| *asked).await.is_err() {
            // The listening task is gone.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupted, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    // A process that was started with `nohup` ignores SIGHUP.
    let mut hung_up = match ignores_hangup() {
        true => None,
        false => Some(signal(SignalKind::hangup())?),
    };
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
            Some(_) = async { hung_up.as_mut()?.recv().await } => {}
        }
    })
}

/// Returns whether SIGHUP was ignored when the process started, if the system has that information.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let bit = 1 << (tokio::signal::unix::SignalKind::hangup().as_raw_value() - 1);
    mask.is_some_and(|mask| mask & bit != 0)
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
