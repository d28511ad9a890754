//! Every operation opens to the right key in the right header, and to nothing else.

use chrono::DateTime;
use reqwest::StatusCode;
use wearlab_server::operations::{self, Credential};
use wearlab_store::KeyHash;
use wearlab_tests::{LINK_TOKEN, Running};

const KINDS: [Credential; 3] = [Credential::TeamApiKey, Credential::LinkToken, Credential::ManagementKey];

/// A service, and the means to ask it with any header.
struct Door {
    running: Running,
    http: reqwest::Client,
}

impl Door {
    async fn start() -> Self {
        Self {
            running: Running::start(5).await,
            http: reqwest::Client::new(),
        }
    }

    /// A key of each kind that is good for all that its kind is good for.
    fn key(&self, kind: Credential) -> &str {
        match kind {
            Credential::TeamApiKey => &self.running.sample.team_api_key,
            Credential::LinkToken => LINK_TOKEN,
            Credential::ManagementKey => &self.running.sample.management_key,
        }
    }

    /// An address of an operation that is there in the sample.
    fn address(&self, template: &str) -> String {
        let path = self.running.path(template);
        // The one query that is required. Others do not look at it.
        format!("{}{path}?diagnosis_query=E11", self.running.url)
    }

    async fn status(&self, template: &str, headers: &[(&str, &str)]) -> StatusCode {
        let mut request = self.http.get(self.address(template));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.expect("an answer").status()
    }
}

#[tokio::test]
async fn only_the_right_key_in_its_own_header_opens() {
    let door = Door::start().await;
    for operation in operations::ALL {
        let [wanted] = operation.security[0] else {
            panic!("{} wants several keys", operation.id)
        };
        assert_eq!(door.status(operation.path, &[]).await, 401, "{}", operation.id);
        for header_of in KINDS {
            for header in header_of.headers() {
                for unknown in ["", "wl_none", &door.key(header_of).to_uppercase()] {
                    let status = door.status(operation.path, &[(header, unknown)]).await;
                    assert_eq!(status, 401, "{}: {header}: an unknown key", operation.id);
                }
                for kind in KINDS {
                    let right = header_of == *wanted && kind == *wanted;
                    let status = door.status(operation.path, &[(header, door.key(kind))]).await;
                    let expected = if right { 200 } else { 401 };
                    assert_eq!(status, expected, "{}: {header}: {kind:?}", operation.id);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_key_that_is_revoked_opens_no_longer() {
    let door = Door::start().await;
    let wanted = operations::ALL.map(|operation| (operation, operation.security[0][0]));
    for (operation, kind) in wanted {
        let header = (kind.headers()[0], door.key(kind));
        assert_eq!(door.status(operation.path, &[header]).await, 200, "{}", operation.id);
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
        assert_eq!(door.status(operation.path, &[header]).await, 401, "{}", operation.id);
    }
}
