//! Page of the webhooks of a team.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::json;
use wearlab_models::{CreatedWebhookEndpoint, RotatedSecret, WebhookEndpoint, WebhookEndpointList, WebhookTest};
use wearlab_server::Operation;
use wearlab_server::operations::{
    CREATE_WEBHOOK, DELETE_WEBHOOK, ENABLE_WEBHOOK, LIST_WEBHOOKS, ROTATE_WEBHOOK_SECRET, TEST_WEBHOOK,
};

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::form::{Form, button, dangerous, hidden};
use super::page::Page;
use super::parts::{Tone, code, next, secret, state, table, team_pages, time};
use super::query::Query;

/// `GET /console/teams/{team_id}/webhooks`
pub(super) async fn list(
    auth: AuthenticatedPage,
    Path(team_id): Path<String>,
    query: Query,
) -> Result<Response, PageError> {
    show(&auth, &team_id, &query, None).await
}

/// `POST /console/teams/{team_id}/webhooks`
pub(super) async fn create(Path(team_id): Path<String>, query: Query, form: Form) -> Result<Response, PageError> {
    let Form { auth, fields } = form;
    let team = parse_id(&team_id)?.to_string();
    let body = json!({
        "url": fields.get("url").unwrap_or_default(),
        "event_type_prefixes": fields.lines("event_type_prefixes"),
    });
    let call = auth.call(&CREATE_WEBHOOK, &[&team]).idempotency_key(fields.id());
    match call.body(&body).get::<CreatedWebhookEndpoint>().await {
        Ok(created) => {
            let secret = ("The secret of the new webhook", created.secret.expose());
            show(&auth, &team_id, &query, Some(secret)).await
        }
        Err(error) => Ok(auth.done(Err(error), &path(&team))),
    }
}

/// `POST /console/teams/{team_id}/webhooks/{webhook_id}/{action}`
pub(super) async fn act(
    Path((team_id, webhook_id, action)): Path<(String, String, String)>,
    query: Query,
    form: Form,
) -> Result<Response, PageError> {
    let Form { auth, fields } = form;
    let team = parse_id(&team_id)?.to_string();
    let call = |operation: &'static Operation| auth.call(operation, &[&team, &webhook_id]).idempotency_key(fields.id());
    let result = match action.as_str() {
        "test" => call(&TEST_WEBHOOK)
            .get::<WebhookTest>()
            .await
            .and_then(|test| outcome(&test)),
        "enable" => call(&ENABLE_WEBHOOK)
            .act()
            .await
            .map(|()| "The webhook is enabled.".to_owned()),
        "delete" => call(&DELETE_WEBHOOK)
            .act()
            .await
            .map(|()| "The webhook is deleted.".to_owned()),
        "rotate" => match call(&ROTATE_WEBHOOK_SECRET).get::<RotatedSecret>().await {
            Ok(rotated) => {
                let until = rotated.earlier_until.to_utc().format("%Y-%m-%d %H:%M");
                let name =
                    format!("The new secret of the webhook, with which the earlier one is used until {until} UTC");
                return show(&auth, &team_id, &query, Some((&name, rotated.secret.expose()))).await;
            }
            Err(error) => Err(error),
        },
        _ => return Err(PageError::not_found()),
    };
    Ok(auth.done(result, &path(&team)))
}

fn outcome(test: &WebhookTest) -> Result<String, PageError> {
    match test.delivered {
        true => Ok(format!("The test event was accepted after {} ms.", test.duration_ms)),
        false => {
            let reason = test.reason.as_deref().unwrap_or("the endpoint did not accept it");
            Err(PageError::Outcome(format!(
                "The test event was not delivered: {reason}."
            )))
        }
    }
}

fn path(team: &str) -> String {
    format!("/console/teams/{team}/webhooks")
}

async fn show(
    auth: &AuthenticatedPage,
    team_id: &str,
    query: &Query,
    new: Option<(&str, &str)>,
) -> Result<Response, PageError> {
    let team = parse_id(team_id)?.to_string();
    let path = path(&team);
    let call = auth.call(&LIST_WEBHOOKS, &[&team]);
    let list: WebhookEndpointList = call.query("next_cursor", query.get("next_cursor")).get().await?;
    let rows: Vec<_> = list.webhooks.iter().map(|webhook| row(auth, &path, webhook)).collect();
    let columns = ["URL", "Event types", "State", "Created", "Id", "Actions"];
    let content = html! {
        (team_pages(&team, "/webhooks"))
        @if let Some((name, value)) = new { (secret(name, value)) }
        (table("Webhooks", &columns, "The team has no webhooks.", &rows))
        (next(&path, &[], ("next_cursor", list.next_cursor.as_deref())))
        section.box aria-labelledby="new" {
            h2 #new { "New webhook" }
            form.fields method="post" action=(path) {
                (hidden(auth))
                p {
                    label for="url" { "URL" }
                    input #url name="url" type="url" required autocomplete="off";
                }
                p {
                    label for="event_type_prefixes" { "Event types, by how they begin, one a line (none for all)" }
                    textarea #event_type_prefixes name="event_type_prefixes" rows="3" {}
                }
                button.primary type="submit" { "Create webhook" }
            }
        }
    };
    let trail = [
        ("/console/teams".to_owned(), "Teams".to_owned()),
        (format!("/console/teams/{team}"), format!("Team {team}")),
    ];
    Ok(Page::new(auth, "Webhooks").below(&trail).response(&content))
}

fn row(auth: &AuthenticatedPage, path: &str, webhook: &WebhookEndpoint) -> Vec<Markup> {
    let action = |name: &str| format!("{path}/{}/{name}", webhook.webhook_id);
    let url = &webhook.url;
    let prefixes = match webhook.event_type_prefixes.as_slice() {
        [] => "all".to_owned(),
        prefixes => prefixes.join(", "),
    };
    vec![
        html! { (url) },
        html! { (prefixes) },
        match &webhook.disabled {
            Some(reason) => html! { (state("disabled", Tone::Bad)) " " (reason) },
            None => state("enabled", Tone::Good),
        },
        time(webhook.created_on),
        code(&webhook.webhook_id),
        html! {
            div.actions {
                (button(auth, &action("test"), "Test", &format!("Test the webhook {url}")))
                @if webhook.disabled.is_some() {
                    (button(auth, &action("enable"), "Enable", &format!("Enable the webhook {url}")))
                }
                (dangerous(auth, &action("rotate"), "Rotate secret", &format!("Rotate secret of {url}"),
                    "Events are signed with both secrets for a while, then with the new one alone."))
                (dangerous(auth, &action("delete"), "Delete", &format!("Delete the webhook {url}"),
                    "It gets no more events. That cannot be undone."))
            }
        },
    ]
}
