//! Conditional reads of an operation with several successes.

use std::sync::Arc;

use serde_json::json;
use wearlab_client::ReadSeveralIfChangedResponse as Several;
use wearlab_server::router;

use crate::operations::client;
use crate::service::Service;

#[tokio::test]
async fn each_of_several_successes_is_read_unless_it_is_the_same() {
    let service = Service::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let client = client(&format!("http://{}", listener.local_addr().expect("an address")));
    let app = router(Arc::new(service.clone()));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let answer = |answer| service.script(answer);
    answer(json!({ "variant": 0, "body": "big" }));
    let first = client.read_several_if_changed().send().await.expect("a value");
    let tag = first.etag().expect("an entity tag").to_owned();
    let known = |tag: &str| client.read_several_if_changed().send_if_none_match(tag.to_owned());
    assert!(known(&tag).await.expect("a 304").is_none());
    answer(json!({ "variant": 0, "body": "small" }));
    let other = known(&tag).await.expect("a value").expect("another one");
    assert!(matches!(&*other, Several::Ok(body) if body.as_str() == "small"), "{other:?}");
    answer(json!({ "variant": 1 }));
    let none = known(&tag).await.expect("a response").expect("no 304");
    assert!(matches!(&*none, Several::Accepted), "{none:?}");
}
