//! Organisation that a command works for.

use wearlab_client::Client;

/// Client with the management key of an organisation, and its id.
pub(in crate::cli) struct Organisation {
    pub(in crate::cli) client: Client,
    pub(in crate::cli) id: String,
}
