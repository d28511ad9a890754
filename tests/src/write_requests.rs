//! Valid requests of each operation that writes, except streams. It fails for an unknown operation.

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use wearlab_models::{Pipeline, User, Uuid};
use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_store::{KeyHash, KeyRecord, LinkOptions, StoreError};

use crate::owners::Owner;
use crate::{Running, linked, orders, values};

/// Owner of the written object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Object of a team, which other keys cannot find.
    Team,
    /// New object of the team of the key.
    EachTeam,
    /// Object of an organisation, which other keys cannot find.
    Organisation,
}

/// Write request. It succeeds once, for its owner.
pub struct WriteRequest {
    /// Operation.
    pub operation: &'static Operation,
    /// Owner of the written object.
    pub written: Written,
    /// URL.
    pub url: String,
    /// Body, if there is one.
    pub body: Option<Value>,
    /// URL of a missing object, if the operation is about an existing one.
    pub of_nothing: Option<String>,
    /// Body that refers to a missing object, if the body refers to one.
    pub body_of_nothing: Option<Value>,
    /// URL with an invalid value, if it has parameters.
    pub invalid: Option<String>,
    /// Body that conflicts with an existing object, or the same request if it has none.
    pub conflicting: Option<Value>,
    /// URL of an object that can no longer be changed, if there can be one.
    pub too_late: Option<String>,
}

impl WriteRequest {
    /// Creates a request of an operation to a team. Its object is created for this request alone.
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
            body_of_nothing: None,
            invalid: None,
            conflicting: None,
            too_late: None,
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
            "put_pipeline" | "delete_pipeline" => {
                let pipeline = json!({"team_id": owner.team, "preferences": {"preferred": "svix", "enabled": ["svix"]},
                    "push_historical_data": false, "provider_raw_data": false, "svix": {"regional": false},
                    "event_type_prefixes": []});
                let team = running
                    .store
                    .team_of_key(&owner.key)
                    .await
                    .expect("a read")
                    .expect("a team");
                let put = serde_json::from_value(pipeline.clone()).expect("a pipeline");
                let put = running.store.write(|write| write.put_pipeline(team, &put));
                put.await.expect("a pipeline");
                let of = |team: &str| path.replace("{org_id}", &owner.org).replace("{team_id}", team);
                let mut body = pipeline;
                body["push_historical_data"] = true.into();
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("mine"))),
                    ..request(
                        Written::Organisation,
                        of(&owner.team.to_string()),
                        (operation.id == "put_pipeline").then_some(body),
                    )
                }
            }
            "test_pipeline" => {
                let put = running.store.write(|write| {
                    let team = write.team(owner.team)?.expect("a team");
                    write.put_pipeline(team, &unreachable_pipeline(owner.team))
                });
                put.await.expect("a pipeline");
                let of = |team: &str| path.replace("{org_id}", &owner.org).replace("{team_id}", team);
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("mine"))),
                    ..request(Written::Organisation, of(&owner.team.to_string()), None)
                }
            }
            "create_webhook" => {
                let of = |team: &str| path.replace("{org_id}", &owner.org).replace("{team_id}", team);
                let url = format!("https://hooks.example.com/{}", Uuid::now_v7());
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("mine"))),
                    ..request(
                        Written::Organisation,
                        of(&owner.team.to_string()),
                        Some(json!({ "url": url })),
                    )
                }
            }
            "update_webhook" | "delete_webhook" | "rotate_webhook_secret" | "enable_webhook" | "test_webhook" => {
                let webhook = values::webhook(owner.team, &format!("wh_{}", Uuid::now_v7().simple()));
                let put = running.store.write(|write| write.put_webhook(&webhook));
                put.await.expect("a webhook");
                let of = |team: &str, id: &str| {
                    let path = path.replace("{org_id}", &owner.org).replace("{team_id}", team);
                    path.replace("{webhook_id}", id)
                };
                let team = owner.team.to_string();
                let changes = json!({"event_type_prefixes": ["daily.data."]});
                Self {
                    of_nothing: Some(at(of(&team, "wh_none"))),
                    invalid: Some(at(of("mine", "wh_none"))),
                    ..request(
                        Written::Organisation,
                        of(&team, &webhook.webhook_id),
                        (operation.id == "update_webhook").then_some(changes),
                    )
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
            "create_link_token" => Self {
                body_of_nothing: Some(json!({"user_id": Uuid::nil()})),
                ..request(
                    Written::Team,
                    path.to_owned(),
                    Some(json!({"user_id": new_user(running, owner).await})),
                )
            },
            "put_provider_settings" | "delete_provider_settings" => {
                let of = |slug: &str| path.replace("{org_id}", &owner.org).replace("{slug}", slug);
                let slug = &running.sample.oauth_provider;
                let put = running
                    .store
                    .write(|write| linked::set_up(write, &write.put_organisation(&owner.org)?, slug));
                put.await.expect("settings");
                let body = json!({
                    "client_id": "wearlab", "client_secret": "a secret",
                    "authorization_url": "https://auth.example.com/authorize",
                    "token_url": "https://auth.example.com/token", "scopes": {},
                });
                Self {
                    of_nothing: Some(at(of("nobody"))),
                    invalid: Some(at(of(&"x".repeat(101)))),
                    ..request(
                        Written::Organisation,
                        of(slug),
                        (operation.id == "put_provider_settings").then_some(body),
                    )
                }
            }
            "put_redirect_urls" => {
                let of = |team: &str| path.replace("{org_id}", &owner.org).replace("{team_id}", team);
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("us"))),
                    ..request(
                        Written::Organisation,
                        of(&owner.team.to_string()),
                        Some(json!({"redirect_urls": ["https://app.example.com/linked"]})),
                    )
                }
            }
            "delete_link_token" => {
                let of = |team: &str, id: &str| {
                    let path = path.replace("{org_id}", &owner.org).replace("{team_id}", team);
                    path.replace("{link_token_id}", id)
                };
                let token = format!("wl_link_{}", Uuid::now_v7());
                let expires = Utc::now() + TimeDelta::hours(1);
                let put = running.store.write(|write| {
                    let team = write.team(owner.team)?.ok_or(StoreError::Missing { what: "team" })?;
                    write.put_user_link_token(team, owner.user, &token, &LinkOptions::default(), expires)
                });
                put.await.expect("a link token");
                let (team, id) = (owner.team.to_string(), KeyHash::of(&token).id());
                Self {
                    of_nothing: Some(at(of(&team, "0000000000000000"))),
                    invalid: Some(at(of("us", &id))),
                    ..request(Written::Organisation, of(&team, &id), None)
                }
            }
            "replay_event" => {
                let of = |event: &str| path.replace("{org_id}", &owner.org).replace("{event_id}", event);
                Self {
                    of_nothing: Some(at(of("evt_none"))),
                    invalid: Some(at(of("%FF"))),
                    ..request(Written::Organisation, of(&owner.event_id), None)
                }
            }
            "replay_events" => {
                let of = |org: &str| path.replace("{org_id}", org);
                let selection = json!({"team_id": owner.team, "parked": true});
                Self {
                    of_nothing: Some(at(of("none"))),
                    invalid: Some(at(of("%FF"))),
                    ..request(Written::Organisation, of(&owner.org), Some(selection))
                }
            }
            "trigger_event" => {
                let of = |user: &str| {
                    let path = path.replace("{org_id}", &owner.org).replace("{user_id}", user);
                    path.replace("{team_id}", &owner.team.to_string())
                };
                let user = new_user(running, owner).await;
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("me"))),
                    ..request(
                        Written::Organisation,
                        of(&user.to_string()),
                        Some(json!({"event_type": "daily.data.steps.created"})),
                    )
                }
            }
            "create_order" => {
                let user = new_user(running, owner).await;
                let test = &running.sample.lab_test_id;
                Self {
                    body_of_nothing: Some(orders::new(Uuid::nil(), test)),
                    ..request(Written::Team, path.to_owned(), Some(orders::new(user, test)))
                }
            }
            "cancel_order" | "simulate_order" | "create_requisition_url" => {
                let user = new_user(running, owner).await;
                let order = Uuid::now_v7();
                let record = orders::received(owner.team, user, order);
                let put = running.store.write(|write| write.put(&record));
                put.await.expect("an order");
                let of = |order: &str| path.replace("{order_id}", order);
                let simulates = operation.id == "simulate_order";
                let ends = operation.id != "create_requisition_url";
                Self {
                    of_nothing: Some(at(of(&Uuid::nil().to_string()))),
                    invalid: Some(at(of("mine"))),
                    too_late: ends.then(|| at(of(&orders::order_of(owner.user).to_string()))),
                    ..request(Written::Team, of(&order.to_string()), simulates.then(|| json!({})))
                }
            }
            other => panic!("{other} is not in the table: write a request of it"),
        }
    }

    /// Returns the header with the key of an owner.
    pub fn key<'o>(&self, owner: &'o Owner) -> (&'static str, &'o str) {
        let credential = self.operation.security[0][0];
        let key = match credential {
            Credential::ManagementKey => &owner.org_key,
            _ => &owner.key,
        };
        (credential.headers()[0], key)
    }

    /// Returns the request for reqwest.
    pub fn with(&self, headers: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let request = crate::http().request(self.operation.method.clone(), &self.url);
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        match &self.body {
            Some(body) => request.json(body),
            None => request,
        }
    }
}

/// Creates a user of a team who is connected with the sample's OAuth provider.
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

/// Returns a pipeline whose only destination is a port of this machine without a listener.
fn unreachable_pipeline(team_id: Uuid) -> Pipeline {
    let pipeline = json!({"team_id": team_id, "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
        "push_historical_data": false, "provider_raw_data": false, "event_type_prefixes": [],
        "rabbitmq": {"uri": "amqp://127.0.0.1:1", "exchange": "events"}});
    serde_json::from_value(pipeline).expect("a pipeline")
}
