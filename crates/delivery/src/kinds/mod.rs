//! Kinds of destinations: a directory for each, and the registry of all.

pub mod azure_amqp;
pub mod cloud_pubsub;
pub(crate) mod kind;
pub mod nats;
pub mod rabbitmq;
pub mod svix;

use wearlab_models::{AzureAmqp, CloudPubsub, DeliveryKind, Nats, Pipeline, Rabbitmq, Svix};

use self::kind::{DestinationKind, Target, parse, unsupported};
use crate::egress::PipelinePolicy;
use crate::webhook::Sender;
use crate::{ConfigError, Destination};

/// Declares the registry from the kinds: the name of each, which is the field of its block, that of its settings and
/// its feature, and the type of the block.
macro_rules! registry {
    ($($(#[doc = $docs:literal])* $field:ident: $Block:ty, $feature:literal;)*) => {
        /// The settings of each kind of destination.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Kinds {
            /// The sender of webhooks.
            pub webhooks: Sender,
            /// True if only webhooks are sent: for trials with the pipelines of others.
            pub only_webhooks: bool,
            /// Egress policy of pipelines, of all kinds.
            pub egress: PipelinePolicy,
            $($(#[doc = $docs])* pub $field: <$Block as DestinationKind>::Settings,)*
        }

        impl Kinds {
            /// Default settings.
            pub fn new(webhooks: Sender) -> Self {
                Self {
                    webhooks,
                    only_webhooks: false,
                    egress: PipelinePolicy::default(),
                    $($field: Default::default(),)*
                }
            }

            /// Trusts certificates of authorities, as PEM, besides the system's: for all kinds that connect by TLS
            /// themselves.
            pub fn trust(&mut self, roots: &[u8]) {
                $(<$Block>::trust(&mut self.$field, roots);)*
            }

            /// Makes the destination of a kind that a pipeline enables.
            pub(crate) fn connect(
                &self,
                kind: &DeliveryKind,
                pipeline: &Pipeline,
                target: &Target<'_>,
            ) -> Result<Box<dyn Destination>, ConfigError> {
                $(
                    #[cfg(feature = $feature)]
                    if *kind == <$Block>::KIND {
                        return <$Block as kind::Connect>::connect(parse(pipeline.$field.as_ref())?, &self.$field, target);
                    }
                )*
                Registered::of(kind)?;
                let _ = (pipeline, target);
                Err(unsupported(kind, 0))
            }
        }

        /// All kinds.
        static REGISTRY: [Registered; DeliveryKind::KNOWN.len()] = [$(Registered {
            kind: <$Block>::KIND,
            is_built: cfg!(feature = $feature),
            is_optional: <$Block>::IS_OPTIONAL,
            host_fields: <$Block>::HOST_FIELDS,
            check: |pipeline| parse(pipeline.$field.as_ref()).map(drop),
            check_egress: |pipeline, organisation, policy| {
                <$Block>::check_egress(&parse(pipeline.$field.as_ref())?, organisation, policy)
            },
            remove: |pipeline| pipeline.$field = None,
        }),*];
    };
}

registry! {
    /// Settings of Event Hubs.
    azure_amqp: AzureAmqp, "azure_amqp";
    /// Settings of Cloud Pub/Sub.
    cloud_pubsub: CloudPubsub, "cloud_pubsub";
    /// Settings of NATS.
    nats: Nats, "nats";
    /// Settings of RabbitMQ.
    rabbitmq: Rabbitmq, "rabbitmq";
    /// A Svix server. Without one, the built-in webhooks replace it.
    svix: Svix, "svix";
}

/// Kind in the registry.
pub(crate) struct Registered {
    kind: DeliveryKind,
    is_built: bool,
    is_optional: bool,
    host_fields: &'static [(&'static str, &'static str)],
    check: fn(&Pipeline) -> Result<(), ConfigError>,
    check_egress: fn(&Pipeline, &str, &PipelinePolicy) -> Result<(), ConfigError>,
    remove: fn(&mut Pipeline),
}

impl Registered {
    /// Returns a kind.
    ///
    /// # Errors
    ///
    /// For one that is unknown.
    pub(crate) fn of(kind: &DeliveryKind) -> Result<&'static Self, ConfigError> {
        let registered = REGISTRY.iter().find(|registered| registered.kind == *kind);
        registered.ok_or_else(|| unsupported(kind, 0))
    }

    /// Returns true if pipelines can use it in this build.
    pub(crate) fn is_usable(&self) -> bool {
        self.is_built || self.is_optional
    }

    /// Checks the block of a pipeline.
    pub(crate) fn check(&self, pipeline: &Pipeline) -> Result<(), ConfigError> {
        (self.check)(pipeline)
    }
}

/// Fields with a secret that does not name its host, each with the field that does: block, secret, host.
pub(crate) fn host_fields() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    REGISTRY.iter().flat_map(|registered| {
        let fields = registered.host_fields.iter();
        fields.map(|(secret, host)| (registered.kind.as_str(), *secret, *host))
    })
}

/// Returns true if this build has the feature of a kind.
pub fn is_built(kind: &DeliveryKind) -> bool {
    Registered::of(kind).is_ok_and(|registered| registered.is_built)
}

/// Removes the blocks of kinds that are not enabled.
pub(crate) fn remove_unused(pipeline: &mut Pipeline) {
    for registered in &REGISTRY {
        if !pipeline.preferences.enabled.contains(&registered.kind) {
            (registered.remove)(pipeline);
        }
    }
}

impl PipelinePolicy {
    /// Checks the kinds that a pipeline of an organisation enables. Names are resolved only when a connection is made.
    ///
    /// # Errors
    ///
    /// For the first field that names something else than may be reached.
    pub fn check(&self, organisation: &str, pipeline: &Pipeline) -> Result<(), ConfigError> {
        for kind in &pipeline.preferences.enabled {
            (Registered::of(kind)?.check_egress)(pipeline, organisation, self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::DeliveryKind;

    use super::REGISTRY;

    #[test]
    fn every_kind_of_the_document_is_registered_once() {
        for kind in DeliveryKind::KNOWN {
            let registered: Vec<_> = REGISTRY.iter().filter(|registered| registered.kind == *kind).collect();
            assert_eq!(registered.len(), 1, "{kind}");
        }
    }
}
