//! Statuses of operations that write: each status of the document is provoked, and there is no other.

use serde_json::json;
use wearlab_tests::owners::owners;
use wearlab_tests::parameters::described;
use wearlab_tests::write_requests::WriteRequest;
use wearlab_tests::writes;

use super::provoke::{Services, send};
use super::seen::{Seen, declared};

#[tokio::test]
async fn every_status_of_a_write_is_provoked_and_no_other() {
    let services = Services::start(12).await;
    let running = &services.running;
    let owners = owners(running).await;
    for operation in writes() {
        let request = WriteRequest::new(running, &owners[0], operation).await;
        let key = request.key(&owners[0]);
        let path = request.url.strip_prefix(&running.url).expect("a path");
        let (url, body) = (&request.url, request.body.as_ref());
        let declared = declared(operation);
        let has = |status: &str| declared.contains(status);
        let mut seen = Seen::of(operation);
        services.provoke(&mut seen, path, key, body).await;
        if let Some(nothing) = &request.of_nothing {
            seen.note(404, &send(operation, nothing, body, &[key]).await);
        }
        if let Some(nothing) = &request.body_of_nothing {
            seen.note(404, &send(operation, url, Some(nothing), &[key]).await);
        }
        if let Some(too_late) = &request.too_late {
            seen.note(409, &send(operation, too_late, body, &[key]).await);
        } else if request.conflicting.is_some() || has("409") {
            let body = request.conflicting.as_ref().or(body);
            seen.note(409, &send(operation, url, body, &[key]).await);
        }
        if has("412") {
            let headers = [key, ("if-match", "\"none\"")];
            seen.note(412, &send(operation, url, body, &headers).await);
        }
        let has_body = !described(operation)["requestBody"].is_null();
        if has_body {
            let unknown = json!({ "no_member_of_this": 1 });
            seen.note(422, &send(operation, url, Some(&unknown), &[key]).await);
        }
        if let Some(invalid) = &request.invalid {
            seen.note(422, &send(operation, invalid, body, &[key]).await);
        }
        if has("422") && !has_body && request.invalid.is_none() {
            let headers = [key, ("idempotency-key", "a b")];
            seen.note(422, &send(operation, url, body, &headers).await);
        }
        let again = WriteRequest::new(running, &owners[0], operation).await;
        let good = send(operation, &again.url, again.body.as_ref(), &[key]).await;
        seen.note(good.status, &good);
        seen.check();
    }
}
