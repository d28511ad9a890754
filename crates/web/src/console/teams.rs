//! Page of the teams of the organisation.

use axum::response::Response;
use maud::html;
use serde_json::json;
use wearlab_models::{Team, TeamList};
use wearlab_server::operations::{CREATE_TEAM, LIST_TEAMS};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::form::{Form, hidden};
use super::page::Page;
use super::parts::{code, next, table};
use super::query::Query;

const PATH: &str = "/console/teams";

/// `GET /console/teams`
pub(super) async fn list(auth: AuthenticatedPage, query: Query) -> Result<Response, PageError> {
    let call = auth
        .call(&LIST_TEAMS, &[])
        .query("next_cursor", query.get("next_cursor"));
    let list: TeamList = call.get().await?;
    let rows: Vec<_> = list.teams.iter().map(row).collect();
    let content = html! {
        (table("Teams", &["Team", "Environment", "Region"], "The organisation has no teams yet.", &rows))
        (next(PATH, &[], ("next_cursor", list.next_cursor.as_deref())))
        section.box aria-labelledby="new" {
            h2 #new { "New team" }
            form.fields method="post" action=(PATH) {
                (hidden(&auth))
                p {
                    label for="environment" { "Environment" }
                    select #environment name="environment" {
                        option value="sandbox" { "sandbox" }
                        option value="production" { "production" }
                    }
                }
                p {
                    label for="region" { "Region" }
                    select #region name="region" {
                        option value="us" { "us" }
                        option value="eu" { "eu" }
                    }
                }
                button.primary type="submit" { "Create team" }
            }
        }
    };
    Ok(Page::new(&auth, "Teams").response(&content))
}

fn row(team: &Team) -> Vec<maud::Markup> {
    let team_id = team.team_id.to_string();
    vec![
        html! { a href={ (PATH) "/" (team_id) } { (code(&team_id)) } },
        html! { (team.environment) },
        html! { (team.region) },
    ]
}

/// `POST /console/teams`
pub(super) async fn create(form: Form) -> Response {
    let Form { auth, fields } = form;
    let body = json!({"environment": fields.get("environment"), "region": fields.get("region")});
    let call = auth.call(&CREATE_TEAM, &[]).idempotency_key(fields.id());
    match call.body(&body).get::<Team>().await {
        Ok(team) => auth.done(
            Ok("The team is created.".to_owned()),
            &format!("{PATH}/{}", team.team_id),
        ),
        Err(error) => auth.done(Err(error), PATH),
    }
}
