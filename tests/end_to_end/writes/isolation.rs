//! Isolation of writes: other owners and missing scopes.

use reqwest::StatusCode;
use serde_json::Value;
use wearlab_store::{KeyRecord, KeyScope, KeyScopes};
use wearlab_tests::owners::{Owner, owners};
use wearlab_tests::write_requests::{WriteRequest, Written};
use wearlab_tests::{EXPIRED_LINK_TOKEN, LINK_TOKEN, Running, writes};

use super::everything;

const KEY: &str = "x-service-api-key";
const LINK: &str = "x-service-link-token";
const MANAGEMENT: &str = "x-management-key";

async fn sent(request: reqwest::RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.expect("a response");
    (response.status(), response.json().await.unwrap_or_default())
}

/// Returns a problem without the members of a single request.
fn problem(mut body: Value) -> Value {
    let members = body.as_object_mut().expect("a problem");
    members.remove("instance");
    members.remove("request_id").expect("an id");
    body
}

#[tokio::test]
async fn nobody_writes_what_is_anothers() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    for operation in writes() {
        for owner in &owners {
            let request = WriteRequest::new(&running, owner, operation).await;
            let before = everything(&running).await;
            let is_stranger = |asker: &&Owner| match request.written {
                Written::Team => asker.team != owner.team,
                Written::Organisation => asker.org != owner.org,
                Written::EachTeam => false,
            };
            for asker in owners.iter().filter(is_stranger) {
                let key = request.key(asker);
                let (status, body) = sent(request.with(&[key])).await;
                assert_eq!(status, 404, "{}: {body}", operation.id);
                // The response does not reveal that it exists.
                if let Some(nothing) = &request.of_nothing {
                    let nothing = WriteRequest {
                        url: nothing.clone(),
                        body: request.body.clone(),
                        of_nothing: None,
                        body_of_nothing: None,
                        invalid: None,
                        conflicting: None,
                        too_late: None,
                        ..request
                    };
                    let (_, nothing) = sent(nothing.with(&[key])).await;
                    assert_eq!(problem(body), problem(nothing), "{}", operation.id);
                }
            }
            assert_eq!(
                everything(&running).await,
                before,
                "{}: something changed",
                operation.id
            );
            let (status, body) = sent(request.with(&[request.key(owner)])).await;
            assert!(status.is_success(), "{}: its owner: {status}: {body}", operation.id);
        }
    }
}

#[tokio::test]
async fn nobody_writes_without_the_right_key() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    for operation in writes() {
        let owner = &owners[0];
        let request = WriteRequest::new(&running, owner, operation).await;
        let before = everything(&running).await;
        let refused: &[(&str, &str)] = match request.key(owner).0 {
            KEY => &[
                (KEY, ""),
                (KEY, &owner.org_key),
                (KEY, &owner.revoked),
                (MANAGEMENT, &owner.org_key),
                (MANAGEMENT, &owner.key),
                (LINK, LINK_TOKEN),
                (LINK, EXPIRED_LINK_TOKEN),
                (LINK, &owner.key),
            ],
            _ => &[
                (MANAGEMENT, ""),
                (MANAGEMENT, &owner.key),
                (MANAGEMENT, &owner.revoked_org_key),
                (KEY, &owner.key),
                (KEY, &owner.org_key),
                (LINK, LINK_TOKEN),
            ],
        };
        for header in refused {
            let (status, body) = sent(request.with(&[*header])).await;
            assert_eq!(status, 401, "{}: {}: {body}", operation.id, header.0);
        }
        let (status, _) = sent(request.with(&[])).await;
        assert_eq!(status, 401, "{}", operation.id);
        assert_eq!(
            everything(&running).await,
            before,
            "{}: something changed",
            operation.id
        );
    }
}

#[tokio::test]
async fn nobody_writes_without_the_scope() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    let owner = &owners[0];
    for (number, operation) in writes().enumerate() {
        let (_, scopes) = operation.scopes[0][0];
        let [scope] = scopes else {
            panic!("{}: one scope", operation.id)
        };
        let without: KeyScopes = KeyScope::ALL.into_iter().filter(|one| one.as_str() != *scope).collect();
        let only: KeyScopes = KeyScope::ALL.into_iter().filter(|one| one.as_str() == *scope).collect();
        let (lacking, having) = (
            format!("wl_key_that_lacks_it_{number}"),
            format!("wl_key_that_has_it_{number}"),
        );
        let request = WriteRequest::new(&running, owner, operation).await;
        let (header, _) = request.key(owner);
        let record = |key: &str, scopes| KeyRecord {
            scopes: Some(scopes),
            ..match header {
                KEY => KeyRecord::of_team(owner.team, key),
                _ => KeyRecord::of_organisation(&owner.org, key),
            }
        };
        let keys = [record(&lacking, without), record(&having, only)];
        let put = running
            .store
            .write(|write| keys.iter().try_for_each(|key| write.put_key(key)));
        put.await.expect("keys");
        let before = everything(&running).await;
        let (status, body) = sent(request.with(&[(header, &lacking)])).await;
        assert_eq!(status, 403, "{}: {body}", operation.id);
        let detail = body["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(scope), "{}: {detail}", operation.id);
        assert_eq!(
            everything(&running).await,
            before,
            "{}: something changed",
            operation.id
        );
        let (status, body) = sent(request.with(&[(header, &having)])).await;
        assert!(status.is_success(), "{}: {status}: {body}", operation.id);
    }
}
