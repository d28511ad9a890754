//! Pipeline of a team: written, read with masked secrets, written back, deleted.

use serde_json::{Value, json};
use wearlab_models::Pipeline;
use wearlab_store::StoreError;
use wearlab_tests::Running;

use super::Admin;
use super::receiver::Receiver;

/// Returns the path of the pipeline of the sample's team.
fn path(running: &Running) -> String {
    format!("/teams/{}/pipeline", running.sample.team_id)
}

/// Returns a pipeline with a secret of each kind.
fn pipeline() -> Value {
    json!({
        "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq", "azure_amqp"]},
        "push_historical_data": true, "provider_raw_data": false,
        "rabbitmq": {"uri": "amqps://me:hush-1@mq.example.com/v", "exchange": "events"},
        "azure_amqp": {
            "connection_string": "Endpoint=sb://a.example.com/;SharedAccessKeyName=send;SharedAccessKey=aHVzaC0y",
            "default_event_hub": "all", "compression": "auto",
            "event_hub_matchers": [{
                "event_type_prefix": "daily.", "event_hub": "daily",
                "blob_storage": {"container_name": "raw",
                    "connection_string": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aHVzaC0z"},
            }],
        },
        "event_type_prefixes": ["daily."],
    })
}

const SECRETS: [&str; 3] = ["hush-1", "aHVzaC0y", "aHVzaC0z"];

async fn stored(running: &Running) -> Option<Pipeline> {
    let found = running.store.pipeline(running.sample.team_id).await;
    found.expect("a read")
}

#[tokio::test]
async fn what_is_read_may_be_sent_back() {
    let running = Running::start(5).await;
    let (admin, path) = (Admin::of(&running), path(&running));
    let put = admin.put(&path, &pipeline()).await.ok(200);
    let first = stored(&running).await.expect("a pipeline");
    let read = admin.get(&path).await.ok(200);
    assert_eq!(read, put);
    assert_eq!(read["team_id"], json!(running.sample.team_id));
    for secret in SECRETS {
        assert!(!read.to_string().contains(secret), "{read}");
    }
    let log = admin.get("/audit_log").await.ok(200).to_string();
    assert!(
        log.contains("put_pipeline") && !SECRETS.iter().any(|secret| log.contains(secret)),
        "{log}"
    );
    // The masks stand for the stored secrets, so nothing changes.
    assert_eq!(admin.put(&path, &read).await.ok(200), read);
    assert_eq!(stored(&running).await.as_ref(), Some(&first));
    // A change beside a mask keeps the secret.
    let mut changed = read.clone();
    changed["event_type_prefixes"] = json!([]);
    changed["rabbitmq"]["exchange"] = json!("others");
    admin.put(&path, &changed).await.ok(200);
    let second = stored(&running).await.expect("a pipeline");
    let uris = [&first, &second].map(|pipeline| pipeline.rabbitmq.as_ref().map(|block| block.uri.expose().to_owned()));
    assert_eq!(uris[0], uris[1]);
    assert_eq!(second.event_type_prefixes, Vec::<String>::new());
    // The list of pipelines has the same.
    let list = format!("{}?team_id={}", running.pipelines_path(), running.sample.team_id);
    let listed = running.json(&list).await;
    assert_eq!(listed["pipelines"][0], admin.get(&path).await.ok(200));
}

#[tokio::test]
async fn a_mask_stands_for_the_stored_secret_and_for_nothing_else() {
    let running = Running::start(5).await;
    let (admin, path) = (Admin::of(&running), path(&running));
    let read = admin.put(&path, &pipeline()).await.ok(200);
    let before = stored(&running).await;
    let refused = async |change: &dyn Fn(&mut Value), location: &str| {
        let mut body = read.clone();
        change(&mut body);
        let answer = admin.put(&path, &body).await;
        assert_eq!(answer.locations(), [location], "{body}");
    };
    // A secret is not sent to another host by a mask.
    refused(
        &|body| body["rabbitmq"]["uri"] = json!("amqps://me:****@elsewhere.example.com/v"),
        "/body/rabbitmq/uri",
    )
    .await;
    refused(
        &|body| {
            let blob = &mut body["azure_amqp"]["event_hub_matchers"][0]["blob_storage"];
            blob["container_name"] = json!("other");
        },
        "/body/azure_amqp/event_hub_matchers/0/blob_storage/connection_string",
    )
    .await;
    assert_eq!(stored(&running).await, before);
    admin.delete(&path).await.ok(204);
    refused(&|_| {}, "/body/rabbitmq/uri").await;
    assert_eq!(stored(&running).await, None);
}

#[tokio::test]
async fn the_rules_are_those_of_an_import() {
    let running = Running::start(5).await;
    let (admin, path) = (Admin::of(&running), path(&running));
    let before = stored(&running).await;
    for (pointer, value, location) in [
        ("/preferences/preferred", json!("svix"), "/body/preferences/preferred"),
        (
            "/preferences/enabled/1",
            json!("rabbitmq"),
            "/body/preferences/enabled/1",
        ),
        (
            "/preferences/enabled/1",
            json!("pigeons"),
            "/body/preferences/enabled/1",
        ),
        ("/preferences/enabled/1", json!("svix"), "/body/svix"),
        ("/rabbitmq/uri", json!("https://mq.example.com"), "/body/rabbitmq/uri"),
        (
            "/azure_amqp/connection_string",
            json!("hush"),
            "/body/azure_amqp/connection_string",
        ),
        ("/azure_amqp/compression", json!("zip"), "/body/azure_amqp/compression"),
        ("/event_type_prefixes/0", json!(" "), "/body/event_type_prefixes/0"),
    ] {
        let mut body = pipeline();
        *body.pointer_mut(pointer).expect("is there") = value;
        let answer = admin.put(&path, &body).await;
        assert_eq!(answer.locations(), [location], "{pointer}");
        assert!(!answer.body.to_string().contains("hush"), "{}", answer.body);
    }
    for (parent, location) in [
        ("", "/body/colour"),
        ("/preferences", "/body/preferences/colour"),
        ("/rabbitmq", "/body/rabbitmq/colour"),
        ("/azure_amqp", "/body/azure_amqp/colour"),
        (
            "/azure_amqp/event_hub_matchers/0",
            "/body/azure_amqp/event_hub_matchers/0/colour",
        ),
        (
            "/azure_amqp/event_hub_matchers/0/blob_storage",
            "/body/azure_amqp/event_hub_matchers/0/blob_storage/colour",
        ),
    ] {
        let mut body = pipeline();
        body.pointer_mut(parent).expect("is there")["colour"] = json!(1);
        let answer = admin.put(&path, &body).await;
        assert_eq!(answer.locations(), [location]);
    }
    let mut body = pipeline();
    body["team_id"] = json!(running.sample.other_team.team_id);
    let answer = admin.put(&path, &body).await;
    assert_eq!(answer.locations(), ["/body/team_id"]);
    assert_eq!(stored(&running).await, before);
}

#[tokio::test]
async fn a_pipeline_that_is_deleted_leaves_the_positions_of_its_kinds() {
    let running = Running::start(5).await;
    let (admin, path) = (Admin::of(&running), path(&running));
    admin.put(&path, &pipeline()).await.ok(200);
    let position = async || {
        let team = running.sample.team_id;
        let kept = running.store.write(|write| {
            let team = write.team(team)?.ok_or(StoreError::Missing { what: "team" })?;
            write.destination(team, "rabbitmq", None)
        });
        kept.await.expect("a destination")
    };
    let before = position().await;
    admin.delete(&path).await.ok(204);
    assert_eq!(admin.get(&path).await.status, 404);
    assert_eq!(admin.delete(&path).await.status, 404);
    assert_eq!(position().await, before, "it is not a new one");
    admin.put(&path, &pipeline()).await.ok(200);
    assert_eq!(position().await, before);
}

#[tokio::test]
async fn all_destinations_of_a_team_are_tested() {
    let running = Running::start(3).await;
    let admin = Admin::of(&running);
    let team = format!("/teams/{}", running.sample.team_id);
    // Only the webhooks of the test: the sample's hosts do not exist.
    let listed = admin.get(&format!("{team}/webhooks")).await.ok(200);
    for webhook in listed["webhooks"].as_array().expect("a list") {
        let id = webhook["webhook_id"].as_str().expect("an id");
        admin.delete(&format!("{team}/webhooks/{id}")).await.ok(204);
    }
    let pipeline = json!({
        "preferences": {"preferred": "svix", "enabled": ["svix"]}, "push_historical_data": false,
        "provider_raw_data": false, "svix": {"regional": false}, "event_type_prefixes": [],
    });
    admin.put(&format!("{team}/pipeline"), &pipeline).await.ok(200);
    let receiver = Receiver::start().await;
    let new = json!({"url": receiver.url()});
    let created = admin.post(&format!("{team}/webhooks"), &new).await.ok(201);

    let test = format!("{team}/pipeline/test");
    let tested = admin.repeatable(&test, "once", &Value::Null).await.ok(200);
    let results = tested["results"].as_array().expect("results");
    assert_eq!(results.len(), 1, "{tested}");
    assert_eq!(
        (&results[0]["webhook_id"], &results[0]["delivered"]),
        (&created["webhook_id"], &json!(true))
    );
    assert!(!tested.to_string().contains("a-secret-path"), "{tested}");
    let [delivered] = &receiver.delivered()[..] else {
        panic!("one event")
    };
    assert_eq!(delivered.event()["event_type"], "pipeline.test");
    assert!(delivered.is_signed(created["secret"].as_str().expect("a secret")));

    assert_eq!(admin.repeatable(&test, "once", &Value::Null).await.ok(200), tested);
    assert_eq!(receiver.delivered().len(), 1, "a repeat sends nothing");
    receiver.respond(500);
    let failed = admin.post(&test, &Value::Null).await.ok(200);
    assert_eq!(failed["results"][0]["delivered"], false);
    assert_eq!(failed["results"][0]["reason"], "responded 500");
}

#[tokio::test]
async fn pipelines_reach_public_hosts_alone() {
    let running = Running::start(5).await;
    let (admin, path) = (Admin::of(&running), path(&running));
    let before = stored(&running).await;
    let line_path = format!("{}/v1/import", running.management_url);
    let blob = "azure_amqp.event_hub_matchers[0].blob_storage.connection_string";
    let account = |endpoint: &str| format!("AccountName=a;AccountKey=aHVzaC0z;BlobEndpoint={endpoint}");
    let hubs = |host: &str| format!("Endpoint=sb://{host}/;SharedAccessKeyName=send;SharedAccessKey=aHVzaC0y");
    type Change<'a> = &'a dyn Fn(&mut Value);
    let cases: [(&str, Change<'_>); 5] = [
        ("rabbitmq.uri", &|body| {
            body["rabbitmq"]["uri"] = json!("amqps://me:hush-1@169.254.169.254/v")
        }),
        ("rabbitmq.uri", &|body| {
            body["rabbitmq"]["uri"] = json!("amqps://me:hush-1@0x0a000001/v")
        }),
        ("azure_amqp.connection_string", &|body| {
            body["azure_amqp"]["connection_string"] = json!(hubs("10.0.0.1"));
        }),
        (blob, &|body| {
            let matcher = &mut body["azure_amqp"]["event_hub_matchers"][0];
            matcher["blob_storage"]["connection_string"] = json!(account("https://[::1]:9/any/path"));
        }),
        (blob, &|body| {
            let matcher = &mut body["azure_amqp"]["event_hub_matchers"][0];
            matcher["blob_storage"]["connection_string"] = json!(account("http://192.168.0.1/"));
        }),
    ];
    for (field, change) in cases {
        let mut body = pipeline();
        change(&mut body);
        let problem = admin.put(&path, &body).await.ok(422);
        let location = problem["errors"][0]["location"]
            .as_str()
            .expect("a location")
            .to_owned();
        let expected = field.replace(['.', '['], "/").replace(']', "");
        assert_eq!(location, format!("/body/{expected}"), "{problem}");
        assert!(
            !SECRETS.iter().any(|secret| problem.to_string().contains(secret)),
            "{problem}"
        );
        // An import cannot bypass the check.
        body["team_id"] = json!(running.sample.team_id);
        let request = wearlab_tests::http()
            .post(&line_path)
            .header("x-management-key", &running.sample.management_key)
            .header("content-type", "application/x-ndjson")
            .body(format!("{}\n", json!({"pipeline": body})));
        let response = request.send().await.expect("a response");
        let text = response.text().await.expect("a body");
        assert!(text.contains(&format!("pipeline.{field}")), "{text}");
    }
    assert_eq!(stored(&running).await, before, "nothing was put");
}
