//! Reads lines of inputs on another thread: an input may stay open without a line.

use std::thread;

use tokio::sync::mpsc;
use wearlab_intake::import::Records;
use wearlab_intake::{Input, IntakeError, LineError, LineHandler, LineLocation, Lines};

use super::pending::Line;

/// Approximate bytes of a batch.
const BATCH: usize = 64 * 1024;

/// Lines, and errors of invalid ones.
pub(super) type Batch = Result<Vec<Result<Line, (LineLocation, LineError)>>, IntakeError>;

/// Lines of inputs.
pub(super) struct Source {
    batches: mpsc::Receiver<Batch>,
    is_over: bool,
}

impl Source {
    /// Starts to read.
    pub(super) fn read(inputs: Vec<Input>) -> Self {
        let (sender, batches) = mpsc::channel(4);
        // The thread ends with the inputs, or when the receiver is dropped.
        thread::spawn(move || read(Lines::new(inputs, Records::MAX_LINE), &sender));
        Self {
            batches,
            is_over: false,
        }
    }

    /// Returns whether there are no more lines.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the next lines; none at the end.
    pub(super) async fn next(&mut self) -> Option<Batch> {
        let next = self.batches.recv().await;
        self.is_over = next.is_none();
        next
    }
}

fn read(mut lines: Lines, batches: &mpsc::Sender<Batch>) {
    loop {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        let mut is_over = false;
        loop {
            let found = match lines.next_line() {
                Ok(None) => {
                    is_over = true;
                    break;
                }
                Ok(Some((location, Ok(text)))) => {
                    let mut text = text.as_bytes().to_vec();
                    text.push(b'\n');
                    bytes += text.len();
                    Ok((location, text))
                }
                Ok(Some((location, Err(error)))) => Err((location, error)),
                Err((location, source)) => {
                    let error = IntakeError::Input { location, source };
                    let _ = batches
                        .blocking_send(Ok(batch))
                        .and_then(|()| batches.blocking_send(Err(error)));
                    return;
                }
            };
            let read = lines.bytes();
            batch.push(found.map(|(location, text)| Line { location, text, read }));
            if bytes >= BATCH || !lines.ready() {
                break;
            }
        }
        let is_heard = batch.is_empty() || batches.blocking_send(Ok(batch)).is_ok();
        if is_over || !is_heard {
            return;
        }
    }
}
