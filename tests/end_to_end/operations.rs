//! Every operation by the client: it reads the complete response of the service.

use serde::Serialize;
use serde_json::{Value, to_value};
use wearlab_models::{DeviceSourceType, OAuthProviderSlug};
use wearlab_store::PipelineFilter;
use wearlab_tests::Running;

/// Checks that the value read by a client serializes to the sent JSON: models neither lose nor add anything.
async fn same(running: &Running, path: &str, read: &impl Serialize) -> Value {
    let sent = running.json(path).await;
    assert_eq!(to_value(read).expect("JSON"), sent, "{path}");
    sent
}

#[tokio::test]
async fn the_client_reads_all_ten() {
    let running = Running::start(60).await;
    let (client, sample) = (running.client(), running.sample.clone());
    let (user, test, account) = (sample.user_id, sample.lab_test_id.as_str(), sample.lab_account_id);

    let got = client.list_user_providers(user).send().await.expect("1");
    let sent = same(&running, &format!("/v2/user/providers/{user}"), &*got).await;
    assert!(sent["providers"].as_array().is_some_and(|list| list.len() >= 3));

    let got = client.get_user(user).send().await.expect("2");
    assert_eq!((got.user_id, got.team_id), (user, sample.team_id));
    assert!(got.request_id().is_some());
    same(&running, &format!("/v2/user/{user}"), &*got).await;

    let got = client.list_users().limit(7).offset(3).send().await.expect("3");
    assert_eq!((got.users.len(), got.offset, got.limit), (7, 3, 7));
    same(&running, "/v2/user/?limit=7&offset=3", &*got).await;

    let got = client.list_user_devices(user).send().await.expect("4");
    assert!(got.iter().all(|device| device.user_id == user));
    assert!(
        got.iter()
            .all(|device| !matches!(device.source_type, DeviceSourceType::Other(_)))
    );
    same(&running, &format!("/v2/user/{user}/device"), &*got).await;

    let got = client.list_providers().send().await.expect("5");
    same(&running, "/v2/providers/", &*got).await;
    let apps = client
        .list_providers()
        .source_type("app")
        .send()
        .await
        .expect("5, filtered");
    assert!(!apps.is_empty() && apps.len() < got.len());
    let none = client
        .list_providers()
        .source_type("brand_new")
        .send()
        .await
        .expect("5, unknown filter");
    assert!(none.is_empty());

    let slug = OAuthProviderSlug::from(sample.oauth_provider.as_str());
    let got = client.get_oauth_provider(slug).send().await.expect("6");
    same(
        &running,
        &format!("/v2/link/provider/oauth/{}", sample.oauth_provider),
        &*got,
    )
    .await;

    let markers = client.list_lab_test_markers(test);
    let got = markers.clone().lab_account_id(account).size(5).send().await.expect("7");
    same(
        &running,
        &format!("/v3/lab_tests/{test}/markers?lab_account_id={account}&size=5"),
        &*got,
    )
    .await;
    let all = markers.send().await.expect("7, without an account");
    assert!(all.total > got.total, "an account sees fewer markers");

    let got = client.search_diagnoses("diabetes").send().await.expect("8");
    assert_eq!(got.len(), 50, "no more than fifty of the hundreds");
    assert_eq!(got[0].diagnosis_code, "E11.9", "the best first");
    same(
        &running,
        "/v3/insurance/search/diagnosis?diagnosis_query=diabetes",
        &*got,
    )
    .await;

    let got = client.list_cancellation_reasons().send().await.expect("9");
    same(&running, "/v3/order/psc/appointment/cancellation-reasons", &*got).await;

    let call = client.list_team_pipelines(&sample.org_id, sample.env, sample.region);
    let got = call.send().await.expect("10");
    assert!(!got.pipelines.is_empty());
    same(&running, &running.pipelines_path(), &*got).await;
}

#[tokio::test]
async fn both_spellings_of_a_path_answer() {
    let running = Running::start(20).await;
    assert_eq!(running.json("/v2/user").await, running.json("/v2/user/").await);
    assert_eq!(
        running.json("/v2/providers").await,
        running.json("/v2/providers/").await
    );
}

#[tokio::test]
async fn pipelines_are_of_their_environment_and_region() {
    let running = Running::start(20).await;
    let sample = &running.sample;
    let other = &sample.other_team;
    let client = running.client();
    for (env, region, teams) in [
        (sample.env, sample.region, vec![sample.team_id]),
        (other.env, other.region, vec![other.team_id]),
        (sample.env, other.region, vec![]),
        (other.env, sample.region, vec![]),
    ] {
        let got = client
            .list_team_pipelines(&sample.org_id, env, region)
            .send()
            .await
            .expect("pipelines");
        let found: Vec<_> = got.pipelines.iter().map(|pipeline| pipeline.team_id).collect();
        assert_eq!(found, teams, "{env} {region}");
    }
}

#[tokio::test]
async fn pipelines_show_no_secret() {
    let running = Running::start(20).await;
    let (sample, store) = (&running.sample, &running.store);
    let organisation = store.organisation_of_key(&sample.management_key).await.expect("a read");
    let organisation = organisation.expect("the sample's organisation");
    let filter = PipelineFilter::default();
    let page = store.pipelines(&organisation, sample.env, sample.region, &filter, 1);
    let kept = page.await.expect("a read").pipelines.remove(0);
    let (rabbitmq, azure) = (kept.rabbitmq.expect("a broker"), kept.azure_amqp.expect("a hub"));
    let blobs = azure.event_hub_matchers.iter().filter_map(|m| m.blob_storage.as_ref());
    let blobs: Vec<_> = blobs.map(|blob| blob.connection_string.expose()).collect();
    assert!(!blobs.is_empty());

    let sent = running.json(&running.pipelines_path()).await;
    let shown = &sent["pipelines"][0];
    assert_eq!(
        shown["rabbitmq"]["uri"], "amqps://wearlab:****@rabbit.example:5671/events",
        "the name stays"
    );
    let hub = shown["azure_amqp"]["connection_string"].as_str().expect("text");
    assert!(hub.ends_with(";SharedAccessKeyName=send;SharedAccessKey=****"), "{hub}");

    let text = sent.to_string();
    let mut secrets = vec![
        between(rabbitmq.uri.expose(), "wearlab:", "@"),
        between(azure.connection_string.expose(), "SharedAccessKey=", "="),
    ];
    secrets.extend(blobs.iter().map(|blob| between(blob, "AccountKey=", "=")));
    assert_eq!(text.matches("****").count(), secrets.len(), "each is masked");
    for secret in secrets {
        assert!(secret.len() >= 24, "a secret is long");
        let parts = secret
            .as_bytes()
            .windows(6)
            .map(|part| str::from_utf8(part).expect("ASCII"));
        for part in parts {
            assert!(!text.contains(part), "a part of a secret shows");
        }
    }
}

/// Returns the text between two texts.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).expect("its start");
    rest.split_once(end).expect("its end").0
}

#[tokio::test]
async fn the_documents_are_served() {
    let running = Running::start(1).await;
    let json = running.json("/openapi.json").await;
    assert_eq!(json["info"]["title"], "Wearlab");
    let yaml = wearlab_tests::http()
        .get(format!("{}/openapi.yaml", running.url))
        .send()
        .await
        .expect("a response");
    assert_eq!(yaml.headers()["content-type"], "application/yaml");
    assert!(yaml.text().await.expect("text").starts_with("openapi: \"3.1."));
    let events = running.json("/asyncapi.json").await;
    assert_eq!(events["info"]["title"], "Wearlab");
    let message = &events["components"]["messages"]["provider_connection_created"];
    assert_eq!(message["name"], "provider.connection.created");
}
