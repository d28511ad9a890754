//! Valid pipelines, and invalid ones with the field and the reason.

use serde_json::{Value, json};
use wearlab_delivery::pipeline::{check, check_build, unmask};
use wearlab_models::{DeliveryKind, Masked, Pipeline};

const SECRET: &str = "hush4711";

/// A pipeline of all kinds, with all members of matchers.
fn full() -> Value {
    json!({
        "team_id": "00000000-0000-0000-0000-000000000001",
        "preferences": {"preferred": "svix", "enabled": ["cloud_pubsub", "rabbitmq", "svix", "azure_amqp", "nats"]},
        "push_historical_data": false,
        "provider_raw_data": false,
        "cloud_pubsub": {"project": "a-project", "topic": "events", "message_ordering": true},
        "rabbitmq": {"uri": format!("amqps://me:{SECRET}@mq.example:5671/vhost"), "exchange": "events"},
        "svix": {"regional": false},
        "azure_amqp": {
            "connection_string": hub(""),
            "default_event_hub": "everything",
            "event_hub_matchers": [
                {"event_type_prefix": "daily.", "event_hub": "days"},
                {"event_type_prefix": "historical.", "event_type_regex": r"\.(sleep|hypnogram)\.", "event_hub": "sleep",
                    "blob_storage": {"connection_string": storage(), "container_name": "nights"}},
            ],
            "compression": "auto",
        },
        "nats": {"url": format!("tls://me:{SECRET}@nats.example"), "subject": "events.{event_type}", "stream": "EVENTS"},
        "event_type_prefixes": ["daily.", "historical."],
    })
}

fn hub(more: &str) -> String {
    format!("Endpoint=sb://hubs.example/;SharedAccessKeyName=send;SharedAccessKey={SECRET}={more}")
}

fn signature(signature: &str) -> String {
    format!("Endpoint=sb://hubs.example/;SharedAccessSignature={signature}")
}

fn storage() -> String {
    format!("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={SECRET};EndpointSuffix=storage.example")
}

/// Error of the full pipeline after setting a value; null removes the member.
fn message(pointer: &str, value: &Value) -> Option<String> {
    let mut pipeline = full();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match pipeline.pointer_mut(parent).expect("the parent") {
        Value::Array(list) => list[name.parse::<usize>().expect("an index")] = value.clone(),
        Value::Object(members) if value.is_null() => drop(members.remove(name).expect("it was there")),
        Value::Object(members) => drop(members.insert(name.to_owned(), value.clone())),
        other => panic!("{other}"),
    }
    let pipeline: Pipeline = serde_json::from_value(pipeline).expect("a pipeline");
    let error = check(&pipeline).err()?;
    assert!(!error.to_string().contains(SECRET), "{error}");
    Some(error.to_string())
}

#[test]
fn what_makes_sense_is_let_through() {
    let development = "UseDevelopmentStorage=true";
    let signed = format!("BlobEndpoint=https://a.blob.example/;SharedAccessSignature=sv=1&sig={SECRET}");
    let blobs = "/azure_amqp/event_hub_matchers/1/blob_storage/connection_string";
    for (pointer, value) in [
        ("/push_historical_data", json!(true)),
        ("/event_type_prefixes", json!([])),
        ("/rabbitmq/uri", json!("amqp://localhost")),
        (
            "/rabbitmq/uri",
            json!("amqp://me:p%40ss%2Fword@[::1]:5672/%2F?heartbeat=10"),
        ),
        ("/rabbitmq/uri", json!("amqps://me:****@mq.example:5671/vhost")),
        ("/azure_amqp/event_hub_matchers", json!([])),
        ("/azure_amqp/compression", json!("none")),
        ("/azure_amqp/compression", json!("always")),
        (
            "/azure_amqp/connection_string",
            json!(hub("").replace("Endpoint", "ENDPOINT")),
        ),
        ("/azure_amqp/connection_string", json!(hub("").replace(SECRET, "****"))),
        (
            "/azure_amqp/connection_string",
            json!(signature(&format!(
                "SharedAccessSignature sr=h&sig={SECRET}&se=1&skn=n"
            ))),
        ),
        ("/azure_amqp/connection_string", json!(signature("****"))),
        ("/nats/url", json!("tls://****@a.example:4222, nats://[::1]")),
        ("/nats/stream", Value::Null),
        (
            "/nats",
            json!({"url": "tls://nats.example", "subject": "events", "credentials": "****"}),
        ),
        ("/preferences", json!({"preferred": "svix", "enabled": []})),
        (blobs, json!(storage().replace(SECRET, "****"))),
        (blobs, json!(development)),
        (blobs, json!(signed)),
        (
            "/azure_amqp/event_hub_matchers/0",
            json!({"event_type_regex": r"(?i)^daily\.\w+", "event_hub": "days"}),
        ),
    ] {
        assert_eq!(message(pointer, &value), None, "{pointer} {value}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_its_field() {
    let address =
        "rabbitmq.uri: is not an AMQP URI such as amqps://user:password@host:5671/vhost; percent-encode special \
        characters in user, password and vhost (: %3A, / %2F, ? %3F, # %23, @ %40)"
            .to_owned();
    let matcher = |what: &str| format!("azure_amqp.event_hub_matchers[1]{what}");
    let blobs = |what: &str| matcher(&format!(".blob_storage.connection_string: {what}"));
    let storage = |name: &str, value: &str| json!(storage().replace(name, value));
    let key = "SharedAccessKey=";
    for (pointer, value, expected) in [
        (
            "/preferences/preferred",
            json!("kafka"),
            "preferences.preferred: is not in preferences.enabled; add it there, or prefer one that is".to_owned(),
        ),
        (
            "/preferences/enabled",
            json!(["svix", "rabbitmq", "svix"]),
            "preferences.enabled[2]: is listed twice".to_owned(),
        ),
        (
            "/preferences",
            json!({"preferred": SECRET, "enabled": ["svix", SECRET]}),
            format!(
                "preferences.enabled[1]: unknown kind of delivery; supported are {}",
                DeliveryKind::KNOWN.iter().map(DeliveryKind::as_str).collect::<Vec<_>>().join(", ")
            ),
        ),
        (
            "/cloud_pubsub",
            json!(null),
            "cloud_pubsub: is missing, but preferences.enabled names it".to_owned(),
        ),
        (
            "/rabbitmq",
            json!(null),
            "rabbitmq: is missing, but preferences.enabled names it".to_owned(),
        ),
        (
            "/svix",
            json!(null),
            "svix: is missing, but preferences.enabled names it".to_owned(),
        ),
        (
            "/azure_amqp",
            json!(null),
            "azure_amqp: is missing, but preferences.enabled names it".to_owned(),
        ),
        (
            "/cloud_pubsub/project",
            json!(""),
            "cloud_pubsub.project: is empty".to_owned(),
        ),
        (
            "/cloud_pubsub/topic",
            json!(" "),
            "cloud_pubsub.topic: is empty".to_owned(),
        ),
        (
            "/rabbitmq/exchange",
            json!(""),
            "rabbitmq.exchange: is empty".to_owned(),
        ),
        ("/rabbitmq/uri", json!(""), address.clone()),
        ("/rabbitmq/uri", json!(SECRET), address.clone()),
        ("/rabbitmq/uri", json!("amqps://"), address.clone()),
        ("/rabbitmq/uri", json!("amqps:mq.example"), address.clone()),
        (
            "/rabbitmq/uri",
            json!(format!("https://me:{SECRET}@mq.example")),
            address.clone(),
        ),
        (
            "/rabbitmq/uri",
            json!(format!("amqp://me:pass/{SECRET}@mq.example")),
            address,
        ),
        (
            "/azure_amqp/default_event_hub",
            json!(""),
            "azure_amqp.default_event_hub: is empty".to_owned(),
        ),
        (
            "/azure_amqp/compression",
            json!(SECRET),
            "azure_amqp.compression: unknown compression; supported are none, auto, always".to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(hub(";EntityPath=other;")),
            "azure_amqp.default_event_hub: is not the EntityPath of azure_amqp.connection_string; give the connection \
             string of the namespace"
                .to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(SECRET),
            "azure_amqp.connection_string: is not a connection string (Name=value;Name=value); copy it from the Azure portal".to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(""),
            "azure_amqp.connection_string: has no Endpoint=sb://...".to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(signature("")),
            "azure_amqp.connection_string: has neither SharedAccessKeyName nor SharedAccessSignature".to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(signature(SECRET)),
            "azure_amqp.connection_string: has a SharedAccessSignature that does not start with `SharedAccessSignature \
             sr=`"
                .to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(format!("{};SharedAccessSignature=SharedAccessSignature sr={SECRET}", hub(""))),
            "azure_amqp.connection_string: has both SharedAccessSignature and SharedAccessKey; give one of them"
                .to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(hub("").replace("sb://", &format!("sb://u:{SECRET}@"))),
            "azure_amqp.connection_string: has an Endpoint with credentials, a query or a fragment; credentials are \
             parts of their own"
                .to_owned(),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/blob_storage/connection_string",
            json!(format!("BlobEndpoint=https://u:{SECRET}@h/a;AccountKey=a2V5")),
            blobs(
                "has a BlobEndpoint with credentials, a query or a fragment; credentials are parts of their own",
            ),
        ),
        (
            "/rabbitmq/uri",
            json!(format!("amqp://u:p@h/v#{SECRET}")),
            "rabbitmq.uri: has a fragment (#); write # in a user or password as %23"
                .to_owned(),
        ),
        (
            "/event_type_prefixes/0",
            json!(format!("daily.\n{SECRET}")),
            "event_type_prefixes[0]: has control characters, which no event type has".to_owned(),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_type_prefix",
            json!("daily.\u{7f}"),
            matcher(".event_type_prefix: has control characters, which no event type has"),
        ),
        (
            "/azure_amqp/connection_string",
            json!(hub("").replace("SharedAccessKeyName=send;", "")),
            "azure_amqp.connection_string: has no SharedAccessKeyName".to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(format!("{};", hub("").split(key).next().expect("a part")) + key),
            "azure_amqp.connection_string: has no SharedAccessKey".to_owned(),
        ),
        (
            "/azure_amqp/connection_string",
            json!(hub("").replace("sb://hubs.example/", "hubs.example")),
            "azure_amqp.connection_string: has an Endpoint that is not a URL such as \
             sb://namespace.servicebus.windows.net/"
                .to_owned(),
        ),
        (
            "/azure_amqp/event_hub_matchers/1",
            json!({}),
            matcher(": has no condition; give it event_type_prefix, event_type_regex, or both"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1",
            json!({"event_hub": "all"}),
            matcher(": has no condition; give it event_type_prefix, event_type_regex, or both"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1",
            json!({"event_type_prefix": "daily."}),
            matcher(": has no target; give it event_hub, blob_storage, or both"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_type_prefix",
            json!(""),
            matcher(".event_type_prefix: is empty; fill it or leave it out"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_type_regex",
            json!(""),
            matcher(".event_type_regex: is empty; fill it or leave it out"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_hub",
            json!(" "),
            matcher(".event_hub: is empty; fill it or leave it out"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_type_regex",
            json!(format!("({SECRET}")),
            matcher(".event_type_regex: is not a regular expression: unclosed group"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_type_regex",
            json!(format!("{SECRET}(?=x)")),
            matcher(
                ".event_type_regex: is not a regular expression: look-around, including look-ahead and look-behind, is not \
                 supported",
            ),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/event_type_regex",
            json!("(x{1000}){1000}"),
            matcher(".event_type_regex: is too large a regular expression"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/blob_storage/container_name",
            json!(""),
            matcher(".blob_storage.container_name: is empty"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/blob_storage/connection_string",
            storage("AccountName=a;", ""),
            blobs("has neither AccountName nor BlobEndpoint"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/blob_storage/connection_string",
            storage("AccountKey", "Key"),
            blobs("has neither AccountKey nor SharedAccessSignature"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/blob_storage/connection_string",
            json!("UseDevelopmentStorage=false"),
            blobs("has neither AccountName nor BlobEndpoint"),
        ),
        (
            "/azure_amqp/event_hub_matchers/1/blob_storage/connection_string",
            json!(SECRET),
            blobs("is not a connection string (Name=value;Name=value); copy it from the Azure portal"),
        ),
        (
            "/event_type_prefixes/1",
            json!(""),
            "event_type_prefixes[1]: is empty; to let all events through, leave the list empty"
                .to_owned(),
        ),
    ] {
        assert_eq!(message(pointer, &value), Some(expected), "{pointer} {value}");
    }
}

/// Clients that list all kinds leave unused ones empty.
#[test]
fn blocks_that_are_not_enabled_may_be_empty() {
    let mut pipeline = full();
    pipeline["preferences"] = json!({"preferred": "svix", "enabled": ["svix"]});
    pipeline["rabbitmq"] = json!({"uri": "", "exchange": ""});
    pipeline["azure_amqp"] = json!({"connection_string": "", "default_event_hub": "", "event_hub_matchers": [{}],
        "compression": ""});
    pipeline["cloud_pubsub"] = json!({"project": "", "topic": "", "message_ordering": false});
    let pipeline: Pipeline = serde_json::from_value(pipeline).expect("a pipeline");
    assert_eq!(check(&pipeline), Ok(()));
}

#[test]
fn a_kind_that_is_left_out_of_the_build_is_refused_with_its_feature() {
    let pipeline: Pipeline = serde_json::from_value(full()).expect("a pipeline");
    let built = [
        ("cloud_pubsub", cfg!(feature = "cloud_pubsub")),
        ("rabbitmq", cfg!(feature = "rabbitmq")),
        // The built-in webhooks replace it.
        ("svix", true),
        ("azure_amqp", cfg!(feature = "azure_amqp")),
    ];
    let expected = built.iter().enumerate().find(|(_, (_, built))| !built).map(|(index, (kind, _))| {
        format!(
            "preferences.enabled[{index}]: this build does not support {kind}; build wearlab with `--features {kind}`"
        )
    });
    assert_eq!(check_build(&pipeline).err().map(|error| error.to_string()), expected);
}

/// A pipeline with a `nats` block.
fn with_nats(block: Value) -> Pipeline {
    let mut pipeline = full();
    pipeline["nats"] = block;
    serde_json::from_value(pipeline).expect("a pipeline")
}

#[test]
fn masked_credentials_are_restored_for_their_servers_alone() {
    let block = |url: &str, subject: &str| json!({"url": url, "subject": subject, "credentials": SECRET});
    // Masks of lists of servers show no server.
    for (url, other) in [
        ("tls://nats.example", "tls://other.example"),
        ("tls://nats.example", "nats://nats.example"),
        ("tls://a.example,tls://b.example", "tls://c.example,tls://d.example"),
    ] {
        let stored = with_nats(block(url, "events"));
        let masked = |pipeline: Pipeline| Masked::new(pipeline).into_inner();
        let credentials = |pipeline: &Pipeline| {
            let credentials = pipeline.nats.as_ref().and_then(|nats| nats.credentials.clone());
            credentials.expect("credentials").expose().to_owned()
        };
        let mut given = masked(with_nats(block(url, "others")));
        unmask(&mut given, &stored).expect("the same servers");
        assert_eq!(credentials(&given), SECRET);

        for url in [other.to_owned(), format!("{url},{other}")] {
            let mut given = with_nats(json!({"url": url, "subject": "events", "credentials": "****"}));
            let error = unmask(&mut given, &stored).expect_err("other servers");
            assert_eq!(error.field, "nats.credentials");
            assert!(error.to_string().contains("for another host"), "{error}");
        }
        // Credentials that are given belong to any server.
        let mut given = with_nats(block(other, "events"));
        unmask(&mut given, &stored).expect("nothing is restored");
        assert_eq!(credentials(&given), SECRET);
    }
}
