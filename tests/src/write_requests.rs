//! Valid requests of each operation that writes, except streams: the examples of the document, about objects of their own.

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use wearlab_models::{Pipeline, User, Uuid};
use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_store::{KeyHash, KeyRecord, LinkOptions, StoreError};

use crate::owners::Owner;
use crate::parameters::{self, described, resolved};
use crate::{LINK_TOKEN, Running, linked, orders, values};

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
    /// Creates a request of an operation to a team, from the examples of the document. Its object is created for this request
    /// alone.
    pub async fn new(running: &Running, owner: &Owner, operation: &'static Operation) -> Self {
        let request = Self::of_document(running, owner, operation);
        request.with_objects(running, owner).await
    }

    /// Creates the request that the document has as an example, about objects of the team.
    fn of_document(running: &Running, owner: &Owner, operation: &'static Operation) -> Self {
        let is_managed = operation.security[0][0] == Credential::ManagementKey;
        let base = if is_managed {
            &running.management_url
        } else {
            &running.url
        };
        let at = |template: String| format!("{base}{}", owner.path(running, &template));
        let mut body = example(operation).cloned();
        let mut body_of_nothing = None;
        if let Some(members) = body.as_mut().and_then(Value::as_object_mut) {
            if let Some(team) = members.get_mut("team_id") {
                *team = json!(owner.team);
            }
            if let Some(user) = members.get_mut("user_id") {
                *user = json!(Uuid::nil());
                body_of_nothing = Some(Value::Object(members.clone()));
                members.insert("user_id".to_owned(), json!(owner.user));
            }
        }
        let written = match is_managed {
            true => Written::Organisation,
            false if operation.path.contains('{') || body_of_nothing.is_some() => Written::Team,
            false => Written::EachTeam,
        };
        Self {
            operation,
            written,
            url: at(operation.path.to_owned()),
            body,
            of_nothing: parameters::of_nothing(operation).map(at),
            body_of_nothing,
            invalid: parameters::invalid(operation).map(at),
            conflicting: None,
            too_late: None,
        }
    }

    /// Creates what a request needs that succeeds once: objects of its own, and names that are free.
    async fn with_objects(mut self, running: &Running, owner: &Owner) -> Self {
        match self.operation.id {
            "create_user" => {
                self.body = Some(json!({"client_user_id": format!("client-{}", Uuid::now_v7())}));
                self.conflicting = Some(json!({"client_user_id": owner.client_user_id}));
            }
            "update_user" => {
                self.about(owner.user, new_user(running, owner).await);
                self.conflicting = Some(json!({"client_user_id": owner.client_user_id}));
            }
            "delete_user" | "disconnect_provider" | "trigger_event" => {
                self.about(owner.user, new_user(running, owner).await);
            }
            "pull_again" => {
                let (user_id, slug) = (new_user(running, owner).await, linked::CONNECTOR);
                let put = running.store.write(|write| {
                    let team = write.team(owner.team)?.ok_or(StoreError::Missing { what: "team" })?;
                    linked::put(write, &owner.org, team, user_id, slug)?;
                    linked::put_pulls(write, team, user_id, slug)
                });
                put.await.expect("pulls");
                let not_pulled = self.url.clone();
                self.about(owner.user, user_id);
                self.about(&running.sample.oauth_provider, slug);
                self.too_late = Some(not_pulled);
            }
            "create_team" => {
                let team = |id: Uuid| json!({"environment": "sandbox", "region": "eu", "team_id": id});
                self.body = Some(team(Uuid::now_v7()));
                self.conflicting = Some(team(owner.team));
            }
            "create_key" => {
                self.body = Some(json!({"team_id": owner.team, "name": format!("key {}", Uuid::now_v7())}));
            }
            "put_pipeline" | "delete_pipeline" => {
                let mut pipeline = json!({"team_id": owner.team,
                    "preferences": {"preferred": "svix", "enabled": ["svix"]},
                    "push_historical_data": false, "provider_raw_data": false, "svix": {"regional": false},
                    "event_type_prefixes": []});
                put_pipeline(
                    running,
                    owner,
                    serde_json::from_value(pipeline.clone()).expect("a pipeline"),
                )
                .await;
                pipeline["push_historical_data"] = true.into();
                self.body = self.body.map(|_| pipeline);
            }
            "test_pipeline" => put_pipeline(running, owner, unreachable_pipeline(owner.team)).await,
            "create_webhook" => {
                self.body = Some(json!({ "url": format!("https://hooks.example.com/{}", Uuid::now_v7()) }));
            }
            "update_webhook" | "delete_webhook" | "rotate_webhook_secret" | "enable_webhook" | "test_webhook" => {
                let webhook = values::webhook(owner.team, &format!("wh_{}", Uuid::now_v7().simple()));
                let put = running.store.write(|write| write.put_webhook(&webhook));
                put.await.expect("a webhook");
                self.about(values::webhook_of(owner.team), webhook.webhook_id);
            }
            "revoke_key" => {
                let key = format!("wl_team_{}", Uuid::now_v7());
                let record = KeyRecord::of_team(owner.team, &key);
                let put = running.store.write(|write| write.put_key(&record));
                put.await.expect("a key");
                self.about(KeyHash::of(&owner.revoked).id(), KeyHash::of(&key).id());
            }
            "create_link_token" => {
                self.body = Some(json!({"user_id": new_user(running, owner).await}));
                self.body_of_nothing = Some(json!({"user_id": Uuid::nil()}));
            }
            "put_provider_settings" | "delete_provider_settings" => {
                let slug = &running.sample.oauth_provider;
                let is_deleted = self.operation.id == "delete_provider_settings";
                let put = running.store.write(|write| {
                    let organisation = write.put_organisation(&owner.org)?;
                    if is_deleted {
                        linked::set_up_connector(write, &organisation, linked::CONNECTOR)?;
                    }
                    linked::set_up(write, &organisation, slug)
                });
                put.await.expect("settings");
                self.too_late = is_deleted.then(|| self.url.replace(slug, linked::CONNECTOR));
                let settings = json!({
                    "client_id": "wearlab", "client_secret": "a secret",
                    "authorization_url": "https://auth.example.com/authorize",
                    "token_url": "https://auth.example.com/token", "scopes": {},
                });
                self.body = self.body.map(|_| settings);
            }
            "delete_link_token" => {
                let token = format!("wl_link_{}", Uuid::now_v7());
                let expires = Utc::now() + TimeDelta::hours(1);
                let put = running.store.write(|write| {
                    let team = write.team(owner.team)?.ok_or(StoreError::Missing { what: "team" })?;
                    write.put_user_link_token(team, owner.user, &token, &LinkOptions::default(), expires)
                });
                put.await.expect("a link token");
                self.about(KeyHash::of(LINK_TOKEN).id(), KeyHash::of(&token).id());
            }
            "create_order" => {
                let test = &running.sample.lab_test_id;
                self.body = Some(orders::new(new_user(running, owner).await, test));
                self.body_of_nothing = Some(orders::new(Uuid::nil(), test));
            }
            "cancel_order" | "simulate_order" | "create_requisition_url" => {
                let order = Uuid::now_v7();
                let record = orders::received(owner.team, new_user(running, owner).await, order);
                let put = running.store.write(|write| write.put(&record));
                put.await.expect("an order");
                let completed = self.url.clone();
                self.about(orders::order_of(owner.user), order);
                self.too_late = (self.operation.id != "create_requisition_url").then_some(completed);
                self.body = self.body.map(|_| json!({}));
            }
            _ => {}
        }
        self
    }

    /// Replaces an object of the team in the URL with a new one.
    fn about(&mut self, existing: impl ToString, new: impl ToString) {
        let (existing, new) = (existing.to_string(), new.to_string());
        assert!(self.url.contains(&existing), "{} is not about {existing}", self.url);
        self.url = self.url.replace(&existing, &new);
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

/// Returns the example of a request's body, its own or that of its schema, if it has a body.
fn example(operation: &Operation) -> Option<&'static Value> {
    let content = described(operation)["requestBody"]["content"].as_object()?;
    let content = content.values().next()?;
    let of_schema = || resolved(&content["schema"])["examples"].get(0);
    let example = content.get("example").or_else(of_schema);
    assert!(example.is_some(), "the body of {} has no example", operation.id);
    example
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

async fn put_pipeline(running: &Running, owner: &Owner, pipeline: Pipeline) {
    let put = running.store.write(|write| {
        let team = write.team(owner.team)?.expect("a team");
        write.put_pipeline(team, &pipeline)
    });
    put.await.expect("a pipeline");
}

/// Returns a pipeline whose only destination is a port of this machine without a listener.
fn unreachable_pipeline(team_id: Uuid) -> Pipeline {
    let pipeline = json!({"team_id": team_id, "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
        "push_historical_data": false, "provider_raw_data": false, "event_type_prefixes": [],
        "rabbitmq": {"uri": "amqp://127.0.0.1:1", "exchange": "events"}});
    serde_json::from_value(pipeline).expect("a pipeline")
}
