//! Valid blocks of pipelines, and the targets of events.

use serde_json::{Value, json};

use super::{Namespace, Settings};
use crate::ConfigError;

const NAMESPACE: &str = "Endpoint=sb://n.example/;SharedAccessKeyName=send;SharedAccessKey=hunter2";
const STORAGE: &str = "AccountName=a;AccountKey=aHVudGVyMg==";

fn namespace(more: Value) -> Result<Namespace, ConfigError> {
    let mut block = json!({
        "connection_string": NAMESPACE, "default_event_hub": "events", "event_hub_matchers": [],
        "compression": "auto",
    });
    let more = more.as_object().expect("an object").clone();
    block.as_object_mut().expect("an object").extend(more);
    Namespace::new(&serde_json::from_value(block).expect("a block"), Settings::default())
}

#[test]
fn the_first_that_fits_takes_it_and_all_its_conditions_hold() {
    let storage = json!({ "connection_string": STORAGE, "container_name": "box" });
    let matchers = json!([
        { "event_type_prefix": "daily.", "event_type_regex": "\\.steps\\.", "event_hub": "steps" },
        { "event_type_prefix": "daily.", "event_hub": "daily", "blob_storage": storage },
        { "event_type_regex": "^provider", "blob_storage": storage },
        { "event_type_prefix": "provider", "event_hub": "steps" },
    ]);
    let namespace = namespace(json!({ "event_hub_matchers": matchers })).expect("a namespace");
    for (event_type, hub, container) in [
        ("daily.data.steps.created", Some("steps"), None),
        ("daily.data.sleep.created", Some("daily"), Some("box")),
        ("historical.daily.steps.x", Some("events"), None),
        ("provider.connection.created", None, Some("box")),
        ("", Some("events"), None),
    ] {
        let route = namespace.routes.of(event_type);
        let to = (
            route.hub.as_deref(),
            route.container.as_ref().map(|container| container.name.as_str()),
        );
        assert_eq!(to, (hub, container), "{event_type}");
    }
    assert_eq!(namespace.routes.hubs, ["events", "steps", "daily"]);
    assert_eq!(namespace.routes.containers().len(), 1, "the same container");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let matcher =
        |matcher: Value| json!({ "event_hub_matchers": [{ "event_type_prefix": "a", "event_hub": "b" }, matcher] });
    let container = |name: &str, text: &str| {
        let storage = json!({ "connection_string": text, "container_name": name });
        matcher(json!({ "event_type_prefix": "a", "blob_storage": storage }))
    };
    let regex = |pattern: &str| matcher(json!({ "event_type_regex": pattern, "event_hub": "b" }));
    let hub = |hub: &str| json!({ "default_event_hub": hub });
    let table = [
        (
            json!({ "connection_string": "hunter2" }),
            "connection_string",
            "Name=value",
        ),
        (
            json!({ "connection_string": "Endpoint=sb://n;SharedAccessKeyName=hunter2" }),
            "connection_string",
            "has no SharedAccessKey",
        ),
        (
            json!({ "connection_string": NAMESPACE.replace("hunter2", "****") }),
            "connection_string",
            "masked",
        ),
        (
            json!({ "connection_string": format!("{NAMESPACE};EntityPath=other") }),
            "default_event_hub",
            "EntityPath",
        ),
        (json!({ "compression": "brotli" }), "compression", "unknown compression"),
        (hub(""), "default_event_hub", "is empty"),
        (hub("a/b"), "default_event_hub", "is not a"),
        (hub(&"a".repeat(257)), "default_event_hub", "is not a"),
        (
            matcher(json!({ "event_hub": "b" })),
            "event_hub_matchers[1]",
            "has no condition",
        ),
        (
            matcher(json!({ "event_type_prefix": "a" })),
            "event_hub_matchers[1]",
            "has no target",
        ),
        (
            matcher(json!({ "event_type_prefix": "a", "event_hub": "-" })),
            "event_hub_matchers[1].event_hub",
            "is not a",
        ),
        (regex("a(b"), "event_hub_matchers[1].event_type_regex", "unclosed group"),
        (
            regex("(?:\\w{1000}){1000}"),
            "event_hub_matchers[1].event_type_regex",
            "too large",
        ),
        (
            container("No", STORAGE),
            "event_hub_matchers[1].blob_storage.container_name",
            "is not a",
        ),
        (
            container("a--b", STORAGE),
            "event_hub_matchers[1].blob_storage.container_name",
            "is not a",
        ),
        (
            container("box", "hunter2"),
            "event_hub_matchers[1].blob_storage.connection_string",
            "Name=value",
        ),
        (
            container("box", "AccountName=hunter2"),
            "event_hub_matchers[1].blob_storage.connection_string",
            "has neither AccountKey",
        ),
        (
            container("box", "AccountKey=aHVudGVyMg=="),
            "event_hub_matchers[1].blob_storage.connection_string",
            "has neither AccountName",
        ),
        (
            container("box", "AccountName=a;AccountKey=hunter2!"),
            "event_hub_matchers[1].blob_storage.connection_string",
            "not Base64",
        ),
        (
            container("box", "BlobEndpoint=ftp://hunter2;AccountKey=aHVudGVyMg=="),
            "event_hub_matchers[1].blob_storage.connection_string",
            "does not give a URL",
        ),
    ];
    for (more, field, words) in table {
        let unusable = namespace(more).err().unwrap_or_else(|| panic!("{field} {words}"));
        assert_eq!(unusable.field, format!("azure_amqp.{field}"));
        assert!(unusable.reason.contains(words), "{unusable}");
        assert!(!unusable.to_string().contains("hunter2"), "{unusable}");
    }
    for good in [
        format!("{NAMESPACE};EntityPath=Events"),
        "Endpoint=sb://n;SharedAccessSignature=SharedAccessSignature sr=a&sig=b&se=1&skn=c".to_owned(),
    ] {
        assert!(namespace(json!({ "connection_string": good })).is_ok(), "{good}");
    }
    for good in [
        STORAGE,
        "UseDevelopmentStorage=true",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aHVudGVyMg==;EndpointSuffix=core.chinacloudapi.cn",
        "BlobEndpoint=https://a.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=a%3D",
    ] {
        assert!(namespace(container("box", good)).is_ok(), "{good}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let shown = format!("{:?}", namespace(json!({})).expect("a namespace"));
    assert!(shown.contains("n.example") && !shown.contains("hunter2"), "{shown}");
}
