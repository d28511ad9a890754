//! Source of data within a provider: a device, or an app.

use serde::{Deserialize, Serialize};

/// Source of data within a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSource {
    /// Kind of source, such as `watch`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<String>,
    /// App of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_id: Option<String>,
}

impl ArrivalSource {
    /// Returns the kind of source for events: `unknown` if the arrival names none.
    pub fn kind(&self) -> &str {
        let kind = self.type_.as_deref();
        kind.filter(|kind| !kind.trim().is_empty()).unwrap_or("unknown")
    }

    /// Returns the source in the form for comparisons: without a kind if events state `unknown`.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        if self.kind() == "unknown" {
            self.type_ = None;
        }
        self
    }
}
