//! Custom prefix of header names, in the client and the service.

use wearlab_client::{Client, Error};
use wearlab_http::settings::HttpSettings;
use wearlab_tests::{LINK_TOKEN, Running};

#[tokio::test]
async fn client_and_service_agree_on_another_prefix() {
    let running = Running::start_http(
        5,
        HttpSettings {
            header_prefix: "acme".to_owned(),
            ..HttpSettings::default()
        },
    )
    .await;
    let sample = &running.sample;
    let builder = Client::builder()
        .base_url(&running.url)
        .api_key(&sample.team_api_key)
        .link_token(LINK_TOKEN)
        .management_key(&sample.management_key);
    let client = builder.clone().header_prefix("acme").build().expect("a client");
    client.get_user(sample.user_id).send().await.expect("a user");
    let provider = client.get_oauth_provider(sample.oauth_provider.as_str());
    provider.send().await.expect("a provider");
    let pipelines = client.list_team_pipelines(&sample.org_id, sample.env, sample.region);
    pipelines.send().await.expect("pipelines");

    let documented = builder.clone().build().expect("a client");
    let error = documented
        .list_users()
        .send()
        .await
        .expect_err("the document's own names");
    assert!(matches!(&error, Error::Unauthorized(_)), "{error:?}");
    assert!(error.to_string().contains("x-acme-api-key"), "{error}");

    for (path, names_headers) in [
        ("/openapi.json", true),
        ("/openapi.yaml", true),
        ("/asyncapi.json", false),
    ] {
        let document = super::send("GET", &format!("{}{path}", running.url), &[]).await;
        let document = String::from_utf8(document.body).expect("text").to_lowercase();
        assert_eq!(document.contains("x-acme-api-key"), names_headers, "{path}");
        assert!(!document.contains("x-service-"), "{path}");
    }

    for word in ["", "Acme", "a b", "-a"] {
        let error = builder.clone().header_prefix(word).build().expect_err("no prefix");
        assert!(error.to_string().contains("prefix"), "{error}");
    }
}
