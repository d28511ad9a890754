//! Causes of a failed request, for a caller in the same process: the response omits them.

use std::sync::{Arc, Mutex};

use wearlab_store::StoreError;

tokio::task_local! {
    static NOTED: Failure;
}

/// Last failure of the store in a request, with its causes, as text that fits after "failed to".
#[derive(Clone, Default)]
pub struct Failure(Arc<Mutex<Option<String>>>);

impl Failure {
    /// Runs the handler of a request, and records failures of the store.
    pub async fn during<F: Future>(self, handling: F) -> F::Output {
        NOTED.scope(self, handling).await
    }

    /// Returns the recorded failure, once.
    pub fn take(&self) -> Option<String> {
        self.0.lock().ok()?.take()
    }

    /// Records a failure, if a caller in this process requested that.
    pub(super) fn note(error: &StoreError) {
        let _ = NOTED.try_with(|failure| {
            if let Ok(mut text) = failure.0.lock() {
                *text = Some(with_causes(error));
            }
        });
    }
}

/// Formats an error with its causes, outermost first.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
