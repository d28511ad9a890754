//! Settings of stored values: summaries and samples.

use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use wearlab_models::ResourceName;
use wearlab_settings::list;

/// Retention of values.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValueSettings {
    /// Retention of values, counted from the day that they are of. Default: forever.
    pub keep: Keep,
    /// Resources whose values have a retention of their own.
    #[serde(deserialize_with = "list::deserialize")]
    pub keep_by_resource: Vec<KeepResource>,
}

impl Default for ValueSettings {
    fn default() -> Self {
        Self {
            keep: Keep(None),
            keep_by_resource: Vec::new(),
        }
    }
}

/// Retention: a duration, or forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Keep(pub Option<Duration>);

impl FromStr for Keep {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "forever" {
            return Ok(Self(None));
        }
        let kept = humantime::parse_duration(text).map(|kept| Self(Some(kept)));
        kept.map_err(|_| "expected \"forever\" or a duration such as \"400days\"")
    }
}

impl TryFrom<String> for Keep {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Retention of the values of a resource. As text: `heartrate=400days`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepResource {
    /// Name of the resource.
    pub resource: ResourceName,
    /// Retention of its values.
    pub keep: Keep,
}

impl FromStr for KeepResource {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text
            .split_once('=')
            .ok_or("expected a resource and a duration, such as heartrate=400days")?;
        let resource = ResourceName::from(parts.0.trim());
        if wearlab_ingest::DataKind::of(&resource) == wearlab_ingest::DataKind::Other {
            return Err("no values are kept of this resource");
        }
        let keep = parts.1.trim().parse()?;
        Ok(Self { resource, keep })
    }
}
