//! Policy of pipelines: hosts of brokers and storage accounts, and projects of Cloud Pub/Sub.

use std::str::FromStr;

use super::Policy;
use crate::ConfigError;

/// Hosts and projects that pipelines may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelinePolicy {
    /// Hosts of brokers and storage accounts.
    pub hosts: Policy,
    /// Projects of Cloud Pub/Sub.
    pub projects: Projects,
}

/// The projects of Cloud Pub/Sub that organisations may publish to, with the operator's credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projects {
    /// Projects that the operator has bound to the organisation.
    Bound(Vec<ProjectBinding>),
    /// Any, as of an emulator, which is given no credentials.
    Any,
}

/// A project that an organisation may publish to. As text: `org_example=my-project`. `*` is any organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectBinding {
    /// The organisation.
    pub organisation: String,
    /// The id of the project.
    pub project: String,
}

impl Default for Projects {
    fn default() -> Self {
        Self::Bound(Vec::new())
    }
}

impl FromStr for ProjectBinding {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text
            .split_once('=')
            .map(|(organisation, project)| (organisation.trim(), project.trim()));
        match parts {
            Some((organisation, project)) if !organisation.is_empty() && !project.is_empty() => Ok(Self {
                organisation: organisation.to_owned(),
                project: project.to_owned(),
            }),
            _ => Err("expected an organisation and a project, such as org_example=my-project"),
        }
    }
}

impl Projects {
    /// Checks that an organisation may publish to a project.
    ///
    /// # Errors
    ///
    /// If the operator has not bound it to the organisation.
    pub fn check(&self, organisation: &str, project: &str) -> Result<(), ConfigError> {
        let Self::Bound(bindings) = self else {
            return Ok(());
        };
        let fits = |binding: &ProjectBinding| {
            (binding.organisation == "*" || binding.organisation == organisation) && binding.project == project
        };
        match bindings.iter().any(fits) {
            true => Ok(()),
            false => {
                let reason = "is not a project that the organisation may publish to; the operator binds it to the \
                              organisation by the setting `cloud_pubsub.projects`";
                Err(ConfigError::new("cloud_pubsub.project", reason))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use wearlab_models::Pipeline;

    use super::{PipelinePolicy, Policy, Projects};

    fn refused(policy: &PipelinePolicy, kind: &str, block: &Value) -> Option<String> {
        let pipeline = json!({
            "team_id": "0c9e2d44-8a0b-4d5c-8f0e-7a1b2c3d4e5f", "push_historical_data": true, "provider_raw_data": false,
            "preferences": {"preferred": kind, "enabled": [kind]}, "event_type_prefixes": [], kind: block,
        });
        let pipeline: Pipeline = serde_json::from_value(pipeline).expect("a pipeline");
        policy.check("org_one", &pipeline).err().map(|error| error.field)
    }

    fn azure(endpoint: &str, blobs: &str, more: &str) -> Value {
        let account = format!("AccountName=a;AccountKey=bXNn;{blobs}");
        json!({
            "connection_string": format!("Endpoint=sb://{endpoint}/;SharedAccessKeyName=k;SharedAccessKey=s{more}"),
            "default_event_hub": "hub", "compression": "none",
            "event_hub_matchers": [{"event_type_prefix": "daily.",
                "blob_storage": {"container_name": "abc", "connection_string": account}}],
        })
    }

    #[test]
    fn pipelines_reach_public_hosts_by_tls() {
        let policy = PipelinePolicy::default();
        let rabbitmq = |uri: &str| json!({"uri": uri, "exchange": "e"});
        for uri in [
            "amqps://u:p@mq.example.com/v",
            "amqps://1.1.1.1",
            "amqps://[2606:4700::1111]",
        ] {
            assert_eq!(refused(&policy, "rabbitmq", &rabbitmq(uri)), None, "{uri}");
        }
        for host in [
            "127.0.0.1",
            "127.1",
            "0x7f000001",
            "2130706433",
            "localhost",
            "[::1]",
            "10.0.0.1",
            "169.254.169.254",
            "%31%30.0.0.1",
        ] {
            let uri = format!("amqps://u:p@{host}:5671/v");
            let field = refused(&policy, "rabbitmq", &rabbitmq(&uri));
            assert_eq!(field.as_deref(), Some("rabbitmq.uri"), "{uri}");
        }
        let nats = |url: &str| json!({"url": url, "subject": "events"});
        for (url, fits) in [
            ("tls://u:p@nats.example.com", true),
            ("tls://nats.example.com,tls://1.1.1.1", true),
            ("tls://nats.example.com,tls://127.1", false),
            ("tls://[::ffff:10.0.0.1]", false),
            ("nats://nats.example.com", false),
        ] {
            let field = refused(&policy, "nats", &nats(url));
            assert_eq!(field.as_deref(), (!fits).then_some("nats.url"), "{url}");
        }
        let plain = rabbitmq("amqp://u:p@mq.example.com/v");
        assert_eq!(refused(&policy, "rabbitmq", &plain).as_deref(), Some("rabbitmq.uri"));

        let blob = "azure_amqp.event_hub_matchers[0].blob_storage.connection_string";
        let namespace = "azure_amqp.connection_string";
        for (endpoint, blobs, more, field) in [
            ("ns.servicebus.windows.net", "", "", None),
            ("127.0.0.1", "", "", Some(namespace)),
            (
                "ns.servicebus.windows.net",
                "",
                ";UseDevelopmentEmulator=true",
                Some(namespace),
            ),
            (
                "ns.servicebus.windows.net",
                "BlobEndpoint=http://127.0.0.1:1/any/path",
                "",
                Some(blob),
            ),
            (
                "ns.servicebus.windows.net",
                "BlobEndpoint=https://127.1/",
                "",
                Some(blob),
            ),
            (
                "ns.servicebus.windows.net",
                "BlobEndpoint=http://a.example.com",
                "",
                Some(blob),
            ),
            (
                "ns.servicebus.windows.net",
                "UseDevelopmentStorage=true",
                "",
                Some(blob),
            ),
        ] {
            let block = azure(endpoint, blobs, more);
            assert_eq!(
                refused(&policy, "azure_amqp", &block).as_deref(),
                field,
                "{endpoint} {blobs} {more}"
            );
        }
        let local = PipelinePolicy {
            hosts: Policy {
                allow_plaintext: true,
                allow_networks: vec!["127.0.0.0/8".parse().expect("a network")],
                ..Policy::default()
            },
            ..PipelinePolicy::default()
        };
        let block = azure(
            "localhost",
            "UseDevelopmentStorage=true",
            ";UseDevelopmentEmulator=true",
        );
        assert_eq!(refused(&local, "azure_amqp", &block), None);
        assert_eq!(refused(&local, "rabbitmq", &rabbitmq("amqp://localhost")), None);
    }

    #[test]
    fn projects_are_those_that_the_operator_binds() {
        let topic = |project: &str| json!({"project": project, "topic": "events", "message_ordering": true});
        let with = |projects: &[&str]| PipelinePolicy {
            projects: Projects::Bound(projects.iter().map(|text| text.parse().expect("a binding")).collect()),
            ..PipelinePolicy::default()
        };
        for (projects, fits) in [
            (&[][..], false),
            (&["org_two=ours"][..], false),
            (&["org_one=theirs"][..], false),
            (&["org_two=theirs", "org_one = ours"][..], true),
            (&["*=ours"][..], true),
        ] {
            let field = refused(&with(projects), "cloud_pubsub", &topic("ours"));
            assert_eq!(field.is_none(), fits, "{projects:?}");
            assert!(field.is_none_or(|field| field == "cloud_pubsub.project"));
        }
        let any = PipelinePolicy {
            projects: Projects::Any,
            ..PipelinePolicy::default()
        };
        assert_eq!(refused(&any, "cloud_pubsub", &topic("ours")), None);
        for bad in ["", "org_one", "=p", "o="] {
            assert!(bad.parse::<super::ProjectBinding>().is_err(), "{bad}");
        }
    }
}
