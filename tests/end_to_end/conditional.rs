//! Conditional calls of the client: a 304 is not an error, is not retried, and pages are read without a condition.

use wearlab_client::{Error, RetryPolicy};
use wearlab_tests::Running;
use wearlab_tests::scripted::{Reply, Scripted};

#[tokio::test]
async fn content_that_is_known_is_not_sent_again() {
    let running = Running::start(5).await;
    let (client, user) = (running.client(), running.sample.user_id);
    let call = client.get_user(user);

    let first = call.clone().send().await.expect("a user");
    let etag = first.etag().expect("an entity tag");
    let same = call.clone().send_if_none_match(etag).await.expect("a 304");
    assert!(same.is_none());
    let any = call.clone().send_if_none_match(format!("\"other\", {etag}")).await;
    assert!(any.expect("a 304").is_none(), "a list of tags");
    let other = call.clone().send_if_none_match("\"other\"").await.expect("a user");
    let other = other.expect("content");
    assert_eq!((&*other, other.etag()), (&*first, Some(etag)));

    // An operation without parameters supports it, too.
    let reasons = client.list_cancellation_reasons().send().await.expect("reasons");
    let etag = reasons.etag().expect("an entity tag");
    let same = client.list_cancellation_reasons().send_if_none_match(etag).await;
    assert!(same.expect("a 304").is_none());

    let missing = client.get_user(wearlab_models::Uuid::nil());
    let error = missing.send_if_none_match("*").await.expect_err("nobody");
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

#[tokio::test]
async fn a_304_is_an_error_of_its_own_where_a_header_asked_for_it() {
    let running = Running::start(5).await;
    let client = running.client();
    let error = client
        .list_users()
        .header("if-none-match", "*")
        .send()
        .await
        .expect_err("a 304");
    assert!(matches!(&error, Error::NotModified(_)), "{error:?}");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(304));
    assert!(error.request_id().is_some() && !error.is_retryable());
}

#[tokio::test]
async fn a_304_is_not_tried_again_and_a_503_before_it_is() {
    let scripted = Scripted::start([Reply::new(503, ""), Reply::new(304, "")]).await;
    let client = scripted
        .builder()
        .retry(RetryPolicy::default())
        .build()
        .expect("a client");
    let call = client.list_cancellation_reasons();
    assert!(call.send_if_none_match("\"a\"").await.expect("a 304").is_none());
    let asked = scripted.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|asked| asked.headers["if-none-match"] == "\"a\""));

    let error = client
        .list_users()
        .send_if_none_match("a\nb")
        .await
        .expect_err("no tag");
    assert!(matches!(&error, Error::InvalidRequest(_)), "{error:?}");
    assert!(error.to_string().contains("entity tag"), "{error}");
    assert_eq!(scripted.count(), 2, "it is not sent");
}
