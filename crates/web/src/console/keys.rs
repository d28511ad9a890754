//! Page of the keys of the organisation and its teams.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use wearlab_models::{CreatedKey, Key, KeyList};
use wearlab_server::operations::{CREATE_KEY, LIST_KEYS, REVOKE_KEY};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::form::{Form, dangerous, hidden};
use super::page::Page;
use super::parts::{Tone, code, id_link, maybe, maybe_time, next, none, secret, state, table};
use super::query::Query;

const PATH: &str = "/console/keys";

/// `GET /console/keys`
pub(super) async fn list(auth: AuthenticatedPage, query: Query) -> Result<Response, PageError> {
    show(&auth, &query, None).await
}

/// `POST /console/keys`: the list with the new key above it.
pub(super) async fn create(query: Query, form: Form) -> Result<Response, PageError> {
    let Form { auth, fields } = form;
    let mut body: Map<String, Value> = Map::new();
    for name in ["team_id", "name"] {
        body.extend(fields.get(name).map(|value| (name.to_owned(), json!(value))));
    }
    let scopes: Vec<_> = fields.all("scope[]").collect();
    body.insert("scopes".to_owned(), json!(scopes));
    let call = auth.call(&CREATE_KEY, &[]).idempotency_key(fields.id());
    match call.body(&Value::Object(body)).get::<CreatedKey>().await {
        Ok(created) => show(&auth, &query, Some(&created)).await,
        Err(error) => Ok(auth.done(Err(error), PATH)),
    }
}

async fn show(auth: &AuthenticatedPage, query: &Query, created: Option<&CreatedKey>) -> Result<Response, PageError> {
    let call = auth
        .call(&LIST_KEYS, &[])
        .query("next_cursor", query.get("next_cursor"));
    let list: KeyList = call.query("team_id", query.get("team_id")).get().await?;
    let rows: Vec<_> = list.keys.iter().map(|key| row(auth, key)).collect();
    let columns = ["Key", "Name", "Of", "Scopes", "Created", "State", "Action"];
    let content = html! {
        @if let Some(created) = created { (secret("The new key", created.key.expose())) }
        (table("Keys", &columns, "There are no keys.", &rows))
        (next(PATH, &[("team_id", query.get("team_id"))], ("next_cursor", list.next_cursor.as_deref())))
        section.box aria-labelledby="new" {
            h2 #new { "New key" }
            form.fields method="post" action=(PATH) {
                (hidden(auth))
                p {
                    label for="name" { "Name" }
                    input #name name="name" type="text" maxlength="100" autocomplete="off";
                }
                p {
                    label for="team_id" { "Team (none for a management key)" }
                    input #team_id name="team_id" type="text" value=[query.get("team_id")] autocomplete="off" pattern="[0-9a-fA-F\\-]{36}" title="The id of a team";
                }
                fieldset {
                    legend { "Scopes" }
                    @for scope in ["read", "write", "ingest", "admin"] {
                        label { input type="checkbox" name="scope[]" value=(scope) checked[scope == "read"]; " " (scope) }
                    }
                }
                button.primary type="submit" { "Create key" }
            }
        }
    };
    Ok(Page::new(auth, "Keys").response(&content))
}

fn row(auth: &AuthenticatedPage, key: &Key) -> Vec<Markup> {
    let scopes: Vec<_> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let name = key.name.as_deref().unwrap_or(&key.key_id);
    let revoked = key.revoked_on.is_some();
    vec![
        code(&key.key_id),
        maybe(key.name.as_deref()),
        match key.team_id.map(|id| id.to_string()) {
            Some(team) => id_link(&format!("/console/teams/{team}"), &team),
            None => html! { "the organisation" },
        },
        html! { (scopes.join(", ")) },
        maybe_time(key.created_on),
        match key.revoked_on {
            Some(on) => html! { (state("revoked", Tone::Plain)) " " (maybe_time(Some(on))) },
            None => state("active", Tone::Good),
        },
        match revoked {
            true => none(),
            false => dangerous(
                auth,
                &format!("{PATH}/{}/revoke", key.key_id),
                "Revoke",
                &format!("Revoke the key {name}"),
                "Requests with this key are refused from then on. That cannot be undone.",
            ),
        },
    ]
}

/// `POST /console/keys/{key_id}/revoke`
pub(super) async fn revoke(Path(key_id): Path<String>, form: Form) -> Response {
    let auth = form.auth;
    let result = auth.call(&REVOKE_KEY, &[&key_id]).act().await;
    auth.done(result.map(|()| "The key is revoked.".to_owned()), PATH)
}
