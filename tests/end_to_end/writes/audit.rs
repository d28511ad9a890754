//! Audit log of writes: each write has one entry, and a refusal has none.

use wearlab_store::{AuditEntry, KeyHash, KeyOwner, OrganisationId};
use wearlab_tests::owners::owners;
use wearlab_tests::write_requests::WriteRequest;
use wearlab_tests::{Running, writes};

async fn log(running: &Running) -> Vec<AuditEntry> {
    let key = running.store.management_key(&running.sample.management_key).await;
    let KeyOwner { owner, .. } = key.expect("a read").expect("a key");
    let organisation: OrganisationId = owner;
    running.store.audit_log(&organisation, 0, 10_000).await.expect("a log")
}

#[tokio::test]
async fn every_write_is_logged_once_with_its_key_and_its_request() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    let owner = &owners[0];
    for operation in writes() {
        let id = operation.id;
        let before = log(&running).await.len();
        let request = WriteRequest::new(&running, owner, operation).await;
        let key = request.key(owner);
        let refused = request.with(&[key, ("if-match", "\"no\""), ("idempotency-key", "not good")]);
        let refused = refused.send().await.expect("a response").status();
        assert!(refused.is_client_error() || refused.is_success(), "{id}");
        let logged = log(&running).await.len();
        assert_eq!(
            logged - before,
            usize::from(refused.is_success()),
            "{id}: a refusal is no write"
        );
        let request = WriteRequest::new(&running, owner, operation).await;
        let headers = [request.key(owner), ("x-request-id", id), ("idempotency-key", id)];
        for _ in 0..2 {
            let response = request.with(&headers).send().await.expect("a response");
            assert!(response.status().is_success() || response.status() == 404, "{id}");
        }
        let log = log(&running).await;
        let entries: Vec<_> = log.iter().filter(|entry| entry.request_id == id).collect();
        let at_most = match operation.method.as_str() {
            // A second revocation of a key succeeds, too.
            _ if id == "revoke_key" => 2,
            // A second deletion finds nothing. A second PUT is another write.
            "POST" | "DELETE" => 1,
            _ => 2,
        };
        assert!((1..=at_most).contains(&entries.len()), "{id}: {entries:?}");
        for entry in entries {
            assert_eq!(entry.operation, id);
            assert_eq!(entry.key_id, KeyHash::of(headers[0].1).id(), "{id}");
            assert!(entry.subject.is_some(), "{id}");
        }
    }
}
