//! Every operation by the client: what it reads is what the service sent, whole.

use serde::Serialize;
use serde_json::{Value, to_value};
use wearlab_models::{DeviceSourceType, Environment, OAuthProviderSlug};
use wearlab_tests::Running;

/// The value that a client read, as JSON, is the JSON that was sent: models lose nothing and add nothing.
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

    let got = client.list_user_providers().user_id(user).send().await.expect("1");
    let sent = same(&running, &format!("/v2/user/providers/{user}"), &*got).await;
    assert!(sent["providers"].as_array().is_some_and(|list| list.len() >= 3));

    let got = client.get_user().user_id(user).send().await.expect("2");
    assert_eq!((got.user_id, got.team_id), (user, sample.team_id));
    assert!(got.request_id().is_some());
    same(&running, &format!("/v2/user/{user}"), &*got).await;

    let got = client.list_users().limit(7).offset(3).send().await.expect("3");
    assert_eq!((got.users.len(), got.offset, got.limit), (7, 3, 7));
    same(&running, "/v2/user/?limit=7&offset=3", &*got).await;

    let got = client.list_user_devices().user_id(user).send().await.expect("4");
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
    let got = client
        .get_oauth_provider()
        .oauth_provider(slug)
        .send()
        .await
        .expect("6");
    same(
        &running,
        &format!("/v2/link/provider/oauth/{}", sample.oauth_provider),
        &*got,
    )
    .await;

    let markers = client.list_lab_test_markers().lab_test_id(test);
    let got = markers.clone().lab_account_id(account).size(5).send().await.expect("7");
    same(
        &running,
        &format!("/v3/lab_tests/{test}/markers?lab_account_id={account}&size=5"),
        &*got,
    )
    .await;
    let all = markers.send().await.expect("7, without an account");
    assert!(all.total > got.total, "an account sees fewer markers");

    let got = client
        .search_diagnoses()
        .diagnosis_query("diabetes")
        .send()
        .await
        .expect("8");
    assert!(!got.is_empty() && got.len() <= 50);
    same(
        &running,
        "/v3/insurance/search/diagnosis?diagnosis_query=diabetes",
        &*got,
    )
    .await;

    let got = client.list_cancellation_reasons().send().await.expect("9");
    same(&running, "/v3/order/psc/appointment/cancellation-reasons", &*got).await;

    let call = client
        .list_team_pipelines()
        .org_id(&sample.org_id)
        .env(sample.env)
        .region(sample.region);
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
async fn pipelines_are_of_their_environment_and_show_no_secret() {
    let running = Running::start(20).await;
    let text = running.json(&running.pipelines_path()).await.to_string();
    assert!(text.contains("****"));
    for secret in ["SharedAccessKey=", "AccountKey="] {
        for (at, _) in text.match_indices(secret) {
            assert!(text[at + secret.len()..].starts_with("****"));
        }
    }
    let other = match running.sample.env {
        Environment::Production => Environment::Sandbox,
        _ => Environment::Production,
    };
    let client = running.client();
    let call = client.list_team_pipelines().org_id(&running.sample.org_id);
    let got = call
        .env(other)
        .region(running.sample.region)
        .send()
        .await
        .expect("another environment");
    assert!(
        got.pipelines
            .iter()
            .all(|pipeline| pipeline.team_id != running.sample.team_id)
    );
}

#[tokio::test]
async fn the_document_is_served() {
    let running = Running::start(1).await;
    let json = running.json("/openapi.json").await;
    assert_eq!(json["info"]["title"], "Wearlab");
    let yaml = reqwest::get(format!("{}/openapi.yaml", running.url))
        .await
        .expect("an answer");
    assert_eq!(yaml.headers()["content-type"], "application/yaml");
    assert!(yaml.text().await.expect("text").contains("openapi: 3.1"));
}
