//! Pages of a team's lab orders: their tests and states. Patients and results are not shown.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::{Order, OrderEvent, OrderList, OrderStatus};
use wearlab_server::operations::{GET_ORDER, LIST_ORDERS};

use super::authenticated_page::{AuthenticatedPage, parse_id};
use super::error::PageError;
use super::page::Page;
use super::parts::{Tone, code, count, facts, id_link, maybe, state, table, team_pages, time};
use super::query::{Query, url};
use super::user;

/// Page size, in orders.
const PAGE: i64 = 50;

/// `GET /console/teams/{team_id}/orders`
pub(super) async fn list(
    auth: AuthenticatedPage,
    Path(team_id): Path<String>,
    query: Query,
) -> Result<Response, PageError> {
    let team_id = parse_id(&team_id)?;
    let path = format!("/console/teams/{team_id}/orders");
    let number: i64 = query.parse("page").unwrap_or(1);
    let call = auth.team_call(&LIST_ORDERS, team_id, &[]).await?;
    let call = call.query("page", Some(number)).query("size", Some(PAGE));
    let call = call
        .query("status", query.get("status"))
        .query("user_id", query.get("user_id"));
    let list: OrderList = call.get().await?;
    let rows: Vec<_> = list.orders.iter().map(row).collect();
    let to = |number: i64| {
        let number = number.to_string();
        let filters = [("status", query.get("status")), ("user_id", query.get("user_id"))];
        url(&path, &[filters[0], filters[1], ("page", Some(&number))])
    };
    let columns = [
        "Order",
        "Lab test",
        "Status",
        "Last event",
        "Created",
        "Updated",
        "User",
    ];
    let statuses = [
        "",
        "received",
        "collecting_sample",
        "sample_with_lab",
        "completed",
        "cancelled",
        "failed",
    ];
    let content = html! {
        @match query.parse("user_id") {
            Some(user_id) => (user::pages(team_id, user_id, "orders")),
            None => (team_pages(&team_id.to_string(), "/orders")),
        }
        form.search role="search" method="get" action=(path) {
            label for="status" { "Status" }
            select #status name="status" {
                @for name in statuses {
                    option value=(name) selected[query.get("status").unwrap_or("") == name] { (if name.is_empty() { "any" } else { name }) }
                }
            }
            @if let Some(user_id) = query.get("user_id") { input type="hidden" name="user_id" value=(user_id); }
            button type="submit" { "Filter" }
        }
        (table("Lab orders", &columns, "There are no lab orders.", &rows))
        @if list.total > 0 {
            p.next {
                span { (count(list.total)) " in all" }
                @if number > 1 { a href=(to(number - 1)) rel="prev" { "Previous page" } }
                @if number.saturating_mul(PAGE) < list.total { a href=(to(number + 1)) rel="next" { "Next page" } }
            }
        }
    };
    let trail = user::trail(team_id);
    Ok(Page::new(&auth, "Lab orders").below(&trail).response(&content))
}

fn status(status: &OrderStatus) -> Markup {
    let tone = match status {
        OrderStatus::Completed => Tone::Good,
        OrderStatus::Failed => Tone::Bad,
        OrderStatus::Cancelled => Tone::Plain,
        _ => Tone::Waiting,
    };
    state(status.as_str(), tone)
}

fn row(order: &Order) -> Vec<Markup> {
    let team = format!("/console/teams/{}", order.team_id);
    let (id, user_id) = (order.id.to_string(), order.user_id.to_string());
    vec![
        html! { a href={ (team) "/orders/" (id) } { (code(&id)) } },
        html! { (order.lab_test.name) },
        status(&order.status),
        html! { (order.last_event.status) },
        time(order.created_at),
        time(order.updated_at),
        id_link(&format!("{team}/users/{user_id}"), &user_id),
    ]
}

/// `GET /console/teams/{team_id}/orders/{order_id}`
pub(super) async fn show(
    auth: AuthenticatedPage,
    Path((team_id, order_id)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let team_id = parse_id(&team_id)?;
    let call = auth.team_call(&GET_ORDER, team_id, &[&order_id]).await?;
    let order: Order = call.get().await?;
    let (team, user_id) = (format!("/console/teams/{team_id}"), order.user_id.to_string());
    let events: Vec<_> = order.events.iter().rev().map(event).collect();
    let content = html! {
        (facts(&[
            ("Order", code(order.id.to_string())),
            ("Status", status(&order.status)),
            ("Lab test", html! { (order.lab_test.name) }),
            ("Collected by", html! { (order.details.type_.as_str()) }),
            ("Laboratory", maybe(order.lab_test.lab.as_ref().map(|lab| &lab.name))),
            ("Created", time(order.created_at)),
            ("Updated", time(order.updated_at)),
            ("User", id_link(&format!("{team}/users/{user_id}"), &user_id)),
        ]))
        section aria-labelledby="events" {
            h2 #events { "Events" }
            (table("Events of the order", &["Status", "At"], "Nothing happened yet.", &events))
        }
        p.quiet { "The patient and the results are not shown here; the interface has them." }
    };
    let [teams, above] = user::trail(team_id);
    let trail = [teams, above, (format!("{team}/orders"), "Lab orders".to_owned())];
    Ok(Page::new(&auth, &order.lab_test.name).below(&trail).response(&content))
}

fn event(event: &OrderEvent) -> Vec<Markup> {
    vec![code(&event.status), time(event.created_at)]
}
