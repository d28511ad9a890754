//! Why the store failed a request, for a caller in the same process: a response does not say.

use std::sync::{Arc, Mutex};

use wearlab_store::StoreError;

tokio::task_local! {
    static NOTED: Failure;
}

/// The last failure of the store in a request, with its causes, as text that fits after "failed to".
#[derive(Clone, Default)]
pub struct Failure(Arc<Mutex<Option<String>>>);

impl Failure {
    /// Runs what handles a request. What the store fails with meanwhile is noted.
    pub async fn during<F: Future>(self, handling: F) -> F::Output {
        NOTED.scope(self, handling).await
    }

    /// Returns the noted failure, once.
    pub fn take(&self) -> Option<String> {
        self.0.lock().ok()?.take()
    }

    /// Notes a failure, if somebody in this process asks.
    pub(super) fn note(error: &StoreError) {
        let _ = NOTED.try_with(|failure| {
            if let Ok(mut text) = failure.0.lock() {
                *text = Some(with_causes(error));
            }
        });
    }
}

/// An error and its causes, outermost first.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
