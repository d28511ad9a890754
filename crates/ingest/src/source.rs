//! Source of data within a provider: a device, or an app.

use serde::{Deserialize, Serialize};

/// Where a provider has data from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSource {
    /// The kind of source, such as `watch`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// The app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_id: Option<String>,
}

impl ArrivalSource {
    /// The kind of source as events state it: `unknown` where the arrival names none.
    pub fn kind(&self) -> &str {
        let kind = self.type_.as_deref();
        kind.filter(|kind| !kind.trim().is_empty()).unwrap_or("unknown")
    }

    /// The same source in the one form that is compared: without a kind where events state `unknown`.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        if self.kind() == "unknown" {
            self.type_ = None;
        }
        self
    }
}
