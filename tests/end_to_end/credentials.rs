//! Authentication of every operation: only the right key in the right header is accepted.

use chrono::DateTime;
use reqwest::StatusCode;
use serde_json::Value;
use wearlab_client::Client;
use wearlab_client::operations::Credential as ClientCredential;
use wearlab_models::Uuid;
use wearlab_server::Operation;
use wearlab_server::operations::{self, Credential};
use wearlab_service::Settings;
use wearlab_store::KeyHash;
use wearlab_tests::scripted::{Reply, Scripted};
use wearlab_tests::values::DOCUMENT;
use wearlab_tests::{LINK_TOKEN, QUERY, Running, reads, writes};

const KINDS: [Credential; 3] = [Credential::TeamApiKey, Credential::LinkToken, Credential::ManagementKey];

fn is_write(operation: &Operation) -> bool {
    writes().any(|write| write.id == operation.id)
}

/// A service, with a client that can send any header.
struct AuthClient {
    running: Running,
    http: reqwest::Client,
}

impl AuthClient {
    async fn start() -> Self {
        Self {
            running: Running::start(5).await,
            http: wearlab_tests::http(),
        }
    }

    /// Returns a key of each kind with all its permissions.
    fn key(&self, kind: Credential) -> &str {
        match kind {
            Credential::TeamApiKey => &self.running.sample.team_api_key,
            Credential::LinkToken => LINK_TOKEN,
            Credential::ManagementKey => &self.running.sample.management_key,
        }
    }

    /// Returns the URL of an operation on an object of the sample, or on a missing one if it writes.
    fn address(&self, operation: &Operation) -> String {
        let nobody = operation.path.replace("{user_id}", &Uuid::nil().to_string());
        let path = match is_write(operation) {
            true => self.running.path(&nobody),
            false => self.running.path(operation.path),
        };
        format!("{}{path}{QUERY}", self.running.url)
    }

    /// Returns 200 if the headers authenticate an operation, for a write even if the rest of the request is refused.
    async fn status(&self, operation: &Operation, headers: &[(&str, &str)]) -> StatusCode {
        match self.send(operation, headers).await.status() {
            StatusCode::UNAUTHORIZED => StatusCode::UNAUTHORIZED,
            status if is_write(operation) && status != StatusCode::FORBIDDEN => StatusCode::OK,
            status => status,
        }
    }

    async fn send(&self, operation: &Operation, headers: &[(&str, &str)]) -> reqwest::Response {
        let mut request = self.http.request(operation.method.clone(), self.address(operation));
        if is_write(operation) {
            request = request.header("if-match", "\"none\"");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.expect("a response")
    }
}

#[tokio::test]
async fn only_the_right_key_in_its_own_header_opens() {
    let door = AuthClient::start().await;
    for operation in operations::ALL {
        let single = |all: &&[Credential]| match all {
            [wanted] => Some(*wanted),
            _ => None,
        };
        // The first alternative of an operation that reads. Others take a link token beside the key.
        let alternatives = match operation.method.is_safe() {
            true => &operation.security[..1],
            false => operation.security,
        };
        let wanted: Vec<_> = alternatives.iter().filter_map(single).collect();
        assert_eq!(wanted.len(), alternatives.len(), "{} wants several keys", operation.id);
        assert_eq!(door.status(operation, &[]).await, 401, "{}", operation.id);
        for header_of in KINDS {
            for header in header_of.headers() {
                for unknown in ["", "wl_none", &door.key(header_of).to_uppercase()] {
                    let status = door.status(operation, &[(header, unknown)]).await;
                    assert_eq!(status, 401, "{}: {header}: an unknown key", operation.id);
                }
                for kind in KINDS {
                    let right = header_of == kind && wanted.contains(&kind);
                    let status = door.status(operation, &[(header, door.key(kind))]).await;
                    let expected = if right { 200 } else { 401 };
                    assert_eq!(status, expected, "{}: {header}: {kind:?}", operation.id);
                }
            }
        }
    }
}

/// Returns the alternatives of the document for an operation, with one of its keys, as headers.
fn alternatives(door: &AuthClient, operation: &Operation, key: &str) -> Vec<Vec<(&'static str, String)>> {
    let scheme = |name: &String| match name.as_str() {
        "teamApiKey" => Credential::TeamApiKey,
        "linkToken" => Credential::LinkToken,
        "managementKey" => Credential::ManagementKey,
        other => panic!("{other} is no credential"),
    };
    let list = DOCUMENT["paths"][operation.path][operation.method.as_str().to_lowercase()][key]
        .as_array()
        .cloned();
    let headers = |alternative: &Value| {
        let names = alternative.as_object().expect("an alternative").keys().map(scheme);
        names
            .map(|kind| (kind.headers()[0], door.key(kind).to_owned()))
            .collect()
    };
    list.unwrap_or_default().iter().map(headers).collect()
}

#[tokio::test]
async fn the_document_says_which_credentials_open_and_which_only_by_a_setting() {
    let mut settings = Settings::default();
    for by_setting in [401, 200] {
        let door = AuthClient {
            running: Running::start_with(5, settings).await,
            http: wearlab_tests::http(),
        };
        let mut optional = 0;
        for operation in operations::ALL {
            for (key, status) in [("security", 200), ("x-optional-security", by_setting)] {
                for headers in alternatives(&door, operation, key) {
                    optional += usize::from(key != "security");
                    let headers: Vec<_> = headers.iter().map(|(name, key)| (*name, key.as_str())).collect();
                    let found = door.status(operation, &headers).await;
                    assert_eq!(found, status, "{}: {key}", operation.id);
                }
            }
        }
        assert_eq!(optional, 1, "a link token alone");
        settings.link_token_suffices = true;
    }
}

#[tokio::test]
async fn a_key_without_the_scope_of_an_operation_is_a_403() {
    let door = AuthClient::start().await;
    for operation in reads() {
        let (scope, [team, organisation]) = door.running.keys_without_the_scope_of(operation).await;
        let (kind, key) = match operation.security[0][0] {
            Credential::ManagementKey => (Credential::ManagementKey, organisation),
            kind => (kind, team),
        };
        let header = (kind.headers()[0], key);
        let response = door.send(operation, &[header]).await;
        assert_eq!(response.status(), 403, "{}", operation.id);
        let problem: Value = response.json().await.expect("a problem document");
        assert_eq!(problem["type"], "urn:wearlab:problem:forbidden");
        assert_eq!(problem["detail"], format!("The credential lacks a scope: {scope}."));
        // A link token beside the key does not add the scope.
        let response = door
            .send(operation, &[header, ("x-service-link-token", LINK_TOKEN)])
            .await;
        assert_eq!(response.status(), 403, "{}", operation.id);
        let again: Value = response.json().await.expect("a problem document");
        assert_eq!(again["detail"], problem["detail"], "{}", operation.id);
    }
}

#[tokio::test]
async fn the_client_sends_the_other_name_of_a_header() {
    let running = Running::start(5).await;
    let scripted = Scripted::start([Reply::new(404, "")]).await;
    let builder = |url: &str| {
        Client::builder()
            .base_url(url)
            .management_key(&running.sample.management_key)
    };
    let other = |url: &str| builder(url).credential_header(ClientCredential::ManagementKey, "X-Service-Org-Key");
    let sample = &running.sample;
    let call = async |client: Client| {
        let call = client.list_team_pipelines(&sample.org_id, sample.env, sample.region);
        call.send().await.map(drop)
    };
    call(other(&running.url).build().expect("a client"))
        .await
        .expect("pipelines");

    for (builder, name) in [
        (builder(&scripted.url), "x-management-key"),
        (other(&scripted.url), "x-service-org-key"),
        (other(&scripted.url).header_prefix("acme"), "x-acme-org-key"),
    ] {
        call(builder.build().expect("a client")).await.expect_err("a 404");
        let asked = scripted.asked().pop().expect("a request");
        let names = ["x-management-key", "x-service-org-key", "x-acme-org-key"];
        let sent: Vec<_> = names
            .into_iter()
            .filter(|name| asked.headers.contains_key(*name))
            .collect();
        assert_eq!(sent, [name]);
    }

    let unknown = builder(&running.url).credential_header(ClientCredential::ManagementKey, "x-service-api-key");
    let error = unknown.build().expect_err("the header of another credential");
    assert!(
        error.to_string().contains("x-management-key or x-service-org-key"),
        "{error}"
    );
}

#[tokio::test]
async fn a_key_that_is_revoked_opens_no_longer() {
    let door = AuthClient::start().await;
    let wanted = operations::ALL.map(|operation| (operation, operation.security[0][0]));
    for (operation, kind) in wanted {
        let header = (kind.headers()[0], door.key(kind));
        assert_eq!(door.status(operation, &[header]).await, 200, "{}", operation.id);
    }
    let keys = [Credential::TeamApiKey, Credential::ManagementKey].map(|kind| KeyHash::of(door.key(kind)));
    let mut listed = door.running.store.keys().await.expect("the keys");
    listed.retain(|key| key.record.hash.is_some_and(|hash| keys.contains(&hash)));
    assert_eq!(listed.len(), keys.len(), "keys that were there");
    let store = &door.running.store;
    store
        .write(move |write| {
            for key in &listed {
                assert!(write.revoke_key(&key.id, DateTime::UNIX_EPOCH)?, "a key that was there");
            }
            Ok(())
        })
        .await
        .expect("two keys revoked");
    for (operation, kind) in wanted {
        let header = (kind.headers()[0], door.key(kind));
        assert_eq!(door.status(operation, &[header]).await, 401, "{}", operation.id);
    }
}
