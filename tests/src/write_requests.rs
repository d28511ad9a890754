//! A good request of each operation that writes, but for streams. It fails for an operation that is not in it.

use serde_json::{Value, json};
use wearlab_models::{User, Uuid};
use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_store::{KeyHash, KeyRecord};

use crate::Running;
use crate::owners::Owner;

/// Whose what is written is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// An object of a team: to the keys of others, it is not there.
    Team,
    /// Something new of the team whose key it is.
    EachTeam,
    /// Something of an organisation: to the keys of others, it is not there.
    Organisation,
}

/// A request that writes. It succeeds once, for its owner.
pub struct WriteRequest {
    /// Its operation.
    pub operation: &'static Operation,
    /// Whose what it writes is.
    pub written: Written,
    /// Its URL.
    pub url: String,
    /// Its body, where it has one.
    pub body: Option<Value>,
    /// The URL of something that is not there, where the operation is about something that is.
    pub of_nothing: Option<String>,
    /// A URL with a value that is not valid, where it has parameters.
    pub invalid: Option<String>,
    /// A body that something that is there is in the way of, or the same request where it has none.
    pub conflicting: Option<Value>,
}

impl WriteRequest {
    /// A request of an operation to a team. What it is about is made for it, and for it alone.
    pub async fn new(running: &Running, owner: &Owner, operation: &'static Operation) -> Self {
        let path = operation.path;
        let base = match operation.security[0][0] {
            Credential::ManagementKey => &running.management_url,
            _ => &running.url,
        };
        let at = |path: String| {
            assert!(!path.contains('{'), "{path} has a parameter that is not filled");
            format!("{base}{path}")
        };
        let request = |written: Written, path: String, body: Option<Value>| Self {
            operation,
            written,
            url: at(path),
            body,
            of_nothing: None,
            invalid: None,
            conflicting: None,
        };
        match operation.id {
            "create_user" => Self {
                conflicting: Some(json!({"client_user_id": owner.client_user_id})),
                ..request(
                    Written::EachTeam,
                    path.to_owned(),
                    Some(json!({"client_user_id": format!("client-{}", Uuid::now_v7())})),
                )
            },
            "update_user" | "delete_user" | "disconnect_provider" => {
                let provider = &running.sample.oauth_provider;
                let of = |user: &str| path.replace("{user_id}", user).replace("{provider}", provider);
                let user = new_user(running, owner).await;
                let updates = operation.id == "update_user";
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("me"))),
                    conflicting: updates.then(|| json!({"client_user_id": owner.client_user_id})),
                    ..request(
                        Written::Team,
                        of(&user.to_string()),
                        updates.then(|| json!({"fallback_time_zone": "Asia/Tokyo"})),
                    )
                }
            }
            "create_team" | "create_key" => {
                let of = |org: &str| path.replace("{org_id}", org);
                let (body, conflicting) = match operation.id {
                    "create_team" => {
                        let team = json!({"environment": "sandbox", "region": "eu", "team_id": Uuid::now_v7()});
                        let taken = json!({"environment": "sandbox", "region": "eu", "team_id": owner.team});
                        (team, Some(taken))
                    }
                    _ => (
                        json!({"team_id": owner.team, "name": format!("key {}", Uuid::now_v7())}),
                        None,
                    ),
                };
                Self {
                    of_nothing: Some(at(of("none"))),
                    invalid: Some(at(of("%FF"))),
                    conflicting,
                    ..request(Written::Organisation, of(&owner.org), Some(body))
                }
            }
            "revoke_key" => {
                let key = format!("wl_team_{}", Uuid::now_v7());
                let record = KeyRecord::of_team(owner.team, &key);
                let put = running.store.write(|write| write.put_key(&record));
                put.await.expect("a key");
                let of = |id: &str| path.replace("{org_id}", &owner.org).replace("{key_id}", id);
                Self {
                    of_nothing: Some(at(of("none"))),
                    invalid: Some(at(of("%FF"))),
                    ..request(Written::Organisation, of(&KeyHash::of(&key).id()), None)
                }
            }
            other => panic!("{other} is not in the table: write a request of it"),
        }
    }

    /// The header that opens it, by the keys of an owner.
    pub fn key<'o>(&self, owner: &'o Owner) -> (&'static str, &'o str) {
        let credential = self.operation.security[0][0];
        let key = match credential {
            Credential::ManagementKey => &owner.org_key,
            _ => &owner.key,
        };
        (credential.headers()[0], key)
    }

    /// The request as reqwest sends it.
    pub fn with(&self, headers: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let request = reqwest::Client::new().request(self.operation.method.clone(), &self.url);
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        match &self.body {
            Some(body) => request.json(body),
            None => request,
        }
    }
}

/// A new user of a team, who is connected with the provider of the sample that links by OAuth.
pub async fn new_user(running: &Running, owner: &Owner) -> Uuid {
    let user_id = Uuid::now_v7();
    let user = json!({
        "user_id": user_id, "team_id": owner.team, "client_user_id": format!("client-{user_id}"),
        "created_on": "2026-01-02T03:04:05Z", "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"},
    });
    let user: User = serde_json::from_value(user).expect("a user");
    let connection = serde_json::from_value(json!({
        "name": "Stridewell", "slug": running.sample.oauth_provider, "logo": "https://assets.example.com/logo.png",
        "status": "connected", "created_on": "2026-01-02T03:04:05Z", "resource_availability": {},
        "error_details": null,
    }))
    .expect("a connection");
    let team = running
        .store
        .team_of_key(&owner.key)
        .await
        .expect("a read")
        .expect("a team");
    let written = running.store.write(|write| {
        write.put_user(team, &user)?;
        write.put_connection(team, user_id, &connection)
    });
    written.await.expect("a user");
    user_id
}
