//! Statuses of operations that read: each status of the document is provoked, and there is no other.

use wearlab_server::Operation;
use wearlab_server::operations::{self, Credential};
use wearlab_tests::parameters::{invalid, is_of_lines, of_nothing};
use wearlab_tests::{QUERY, Running, linked};

use super::provoke::{Services, send};
use super::seen::{Seen, declared};

/// Returns a URL of the operation that conflicts with an existing object, if there can be one.
async fn in_the_way(running: &Running, id: &str, address: &str) -> Option<String> {
    let sample = &running.sample;
    match id {
        "get_access_token" => {
            let user = linked::put_failed(running).await;
            Some(address.replace(&sample.user_id.to_string(), &user.to_string()))
        }
        _ => None,
    }
}

#[tokio::test]
async fn every_status_that_the_document_has_is_provoked_and_no_other() {
    let services = Services::start(5).await;
    let running = &services.running;
    let is_read = |operation: &&Operation| operation.method.is_safe() && !is_of_lines(operation);
    for operation in operations::ALL.into_iter().filter(is_read) {
        let key = match operation.security[0][0] {
            Credential::ManagementKey => &running.sample.management_key,
            _ => &running.sample.team_api_key,
        };
        let key = (operation.security[0][0].headers()[0], key.as_str());
        let path = running.path(operation.path) + QUERY;
        let address = format!("{}{path}", running.url);
        let ask = async |address: &str| send(operation, address, None, &[key]).await;
        let mut seen = Seen::of(operation);
        services.provoke(&mut seen, &path, key, None).await;
        seen.note(200, &ask(&address).await);
        if declared(operation).contains("304") {
            let known = [key, ("if-none-match", "*")];
            seen.note(304, &send(operation, &address, None, &known).await);
        }
        if let Some(path) = of_nothing(operation) {
            seen.note(404, &ask(&format!("{}{}", running.url, running.path(&path))).await);
        }
        if let Some(address) = in_the_way(running, operation.id, &address).await {
            seen.note(409, &ask(&address).await);
        }
        if let Some(path) = invalid(operation) {
            seen.note(422, &ask(&format!("{}{}", running.url, running.path(&path))).await);
        }
        seen.check();
    }
}
