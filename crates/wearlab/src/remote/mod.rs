//! Sends lines to a service over HTTP, and repeats them if the connection is lost.
//!
//! Lines are acknowledged in order. Those without an acknowledgement are kept, and sent first on the next connection:
//! no line is lost, and the service recognises lines that it stored without acknowledging them.

mod endpoint;
mod pending;
mod source;
mod stream;

use std::time::Duration;

use rand::RngExt;
use wearlab_client::Client;
use wearlab_intake::{Input, Progress, Summary};

pub(crate) use self::endpoint::{Endpoint, RemoteError};
use self::pending::Pending;
use self::source::Source;
use self::stream::{Ended, Stream};

/// Pause after the first lost connection, and the maximum pause.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// A service that receives lines.
pub(crate) struct Remote {
    pub(crate) client: Client,
    pub(crate) endpoint: Endpoint,
    /// Maximum number of consecutive connections that end without an acknowledgement.
    pub(crate) retries: u32,
}

impl Remote {
    /// Sends all lines of inputs, until each is acknowledged.
    ///
    /// # Errors
    ///
    /// If the inputs cannot be read, or the service rejects the lines or does not respond. Acknowledged lines are
    /// stored.
    pub(crate) async fn send(
        &self,
        inputs: Vec<Input>,
        progress: &mut (dyn Progress + Send),
        mut retrying: impl FnMut(&str, Duration),
    ) -> Result<Summary, RemoteError> {
        let mut stream = Stream {
            source: Source::read(inputs),
            pending: Pending::default(),
            summary: Summary::default(),
            progress,
        };
        let mut failures = 0;
        loop {
            let before = stream.pending.acknowledged();
            let last = match stream.run(&self.client, self.endpoint).await {
                Ok(()) => return Ok(stream.summary),
                Err(Ended::Failed(error)) => return Err(error),
                Err(Ended::Lost(why)) => why,
            };
            failures = match stream.pending.acknowledged() > before {
                true => 1,
                false => failures + 1,
            };
            if failures > self.retries {
                let attempts = failures;
                return Err(RemoteError::GaveUp { attempts, last });
            }
            stream.pending.send_again();
            let pause = pause(failures);
            retrying(&last, pause);
            tokio::time::sleep(pause).await;
        }
    }
}

/// Returns a random part of a pause that doubles with each failure, so that many senders do not reconnect at the same
/// time.
fn pause(failures: u32) -> Duration {
    let (first, longest) = PAUSES;
    let whole = first
        .saturating_mul(1 << failures.saturating_sub(1).min(16))
        .min(longest);
    whole.mul_f64(rand::rng().random_range(0.5..1.0))
}
