//! Interface of a kind of destinations.

use wearlab_models::{DeliveryKind, Uuid};
use wearlab_store::TeamPipeline;

use crate::egress::{PipelinePolicy, UrlError};
use crate::{ConfigError, Destination};

/// Kind of destinations, by the type of its block in pipelines. It is the same in every build; those with the feature
/// of the kind [connect](Connect), too.
pub trait DestinationKind: Sized {
    /// Name in `preferences.enabled`, which is that of the block and of the feature.
    const KIND: DeliveryKind;
    /// True if pipelines may enable it in a build without the feature.
    const IS_OPTIONAL: bool = false;
    /// Fields with a secret that does not name its host, each with the field that does. A mask restores such a secret
    /// only for the same host.
    const HOST_FIELDS: &'static [(&'static str, &'static str)] = &[];
    /// Parsed block.
    type Config;
    /// Settings of the operator.
    type Settings;

    /// Parses the block. A secret may be the mask of one.
    ///
    /// # Errors
    ///
    /// For the first invalid field.
    fn parse(&self) -> Result<Self::Config, ConfigError>;

    /// Checks that a pipeline of an organisation may reach its hosts and projects. Names are resolved only when a
    /// connection is made.
    ///
    /// # Errors
    ///
    /// For the first field that names something else.
    fn check_egress(config: &Self::Config, organisation: &str, policy: &PipelinePolicy) -> Result<(), ConfigError>;

    /// Trusts certificates of authorities, as PEM, besides the system's. Kinds without TLS of their own ignore them.
    fn trust(_: &mut Self::Settings, _: &[u8]) {}
}

/// Kind of destinations that this build has.
pub trait Connect: DestinationKind {
    /// Makes a destination. Does no I/O.
    ///
    /// # Errors
    ///
    /// For a masked secret, a setting that cannot be used, or something that may not be reached.
    fn connect(
        config: Self::Config,
        settings: &Self::Settings,
        target: &Target<'_>,
    ) -> Result<Box<dyn Destination>, ConfigError>;
}

/// Team of the destination.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Id of the team.
    pub team_id: Uuid,
    /// Pipeline of the team.
    pub team: Option<&'a TeamPipeline>,
    /// Egress policy of pipelines.
    pub egress: &'a PipelinePolicy,
}

/// Parses the block that a pipeline has for a kind.
pub(super) fn parse<K: DestinationKind>(block: Option<&K>) -> Result<K::Config, ConfigError> {
    let missing = || ConfigError::new(K::KIND.as_str(), "is missing, but preferences.enabled names it");
    block.ok_or_else(missing)?.parse()
}

/// Error of a URL at a field.
pub(super) fn at(field: &str, result: Result<(), UrlError>) -> Result<(), ConfigError> {
    result.map_err(|error| ConfigError::new(field, error))
}

/// Error for a kind that this build does not support.
pub(crate) fn unsupported(kind: &DeliveryKind, index: usize) -> ConfigError {
    let reason = format!("this build does not support {kind}; build wearlab with `--features {kind}`");
    ConfigError::new(format!("preferences.enabled[{index}]"), reason)
}
