//! Responses of each operation, with their owners, which follow from its key, its path and its response.

use serde_json::Value;
use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_tests::coverage::{reachable, response};
use wearlab_tests::owners::Owner;
use wearlab_tests::parameters::is_query_required;
use wearlab_tests::values::named;
use wearlab_tests::{QUERY, Running};

/// Owner of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// One team. Others cannot find it.
    Team,
    /// Team of the key: the same URL lists other objects for each team.
    EachTeam,
    /// One organisation. Others cannot find it.
    Organisation,
    /// All teams: the same response for each.
    All,
}

/// Operations that read one object of all teams.
const SHARED: [&str; 3] = ["get_oauth_provider", "get_lab_test", "list_lab_test_markers"];

/// Returns the owner of an operation's response.
fn whose(operation: &Operation) -> Whose {
    match operation.security[0][0] {
        Credential::ManagementKey => Whose::Organisation,
        _ if SHARED.contains(&operation.id) => Whose::All,
        _ if operation.path.contains('{') => Whose::Team,
        _ if names_user_or_team(operation) => Whose::EachTeam,
        _ => Whose::All,
    }
}

/// Returns whether objects in an operation's response name their user or their team.
fn names_user_or_team(operation: &Operation) -> bool {
    let schemas = reachable([response(operation.path)]);
    let has = |schema: &Value, name: &str| schema["properties"].get(name).is_some();
    schemas
        .into_iter()
        .map(named)
        .any(|schema| has(schema, "user_id") || has(schema, "team_id"))
}

/// Returns the URLs of an operation for objects of a team, with their owners.
pub(super) fn rows(operation: &Operation, owner: &Owner, running: &Running) -> Vec<(String, Whose)> {
    let whose = whose(operation);
    let url = match whose {
        Whose::Organisation => &running.management_url,
        _ => &running.url,
    };
    let query = if is_query_required(operation) { QUERY } else { "" };
    let mut rows = vec![(query.to_owned(), whose)];
    rows.extend(filtered(operation.id, owner, whose));
    let path = owner.path(running, operation.path);
    rows.into_iter()
        .map(|(query, whose)| (format!("{url}{path}{query}"), whose))
        .collect()
}

/// Returns filters of an operation for objects of a team, with the owners of the responses.
fn filtered(id: &str, owner: &Owner, whose: Whose) -> Vec<(String, Whose)> {
    match id {
        "list_introspected_resources" | "list_historical_pulls" => {
            vec![(format!("?user_id={}", owner.user), Whose::Team)]
        }
        "list_users" => vec![
            ("?limit=500".to_owned(), whose),
            (format!("?client_user_id=any&team_id={}", owner.team), whose),
        ],
        "list_providers" => vec![("?source_type=app".to_owned(), whose)],
        "list_lab_test_markers" | "list_lab_tests" | "get_lab_test" => {
            vec![(format!("?lab_account_id={}", owner.account), Whose::Team)]
        }
        "list_orders" => vec![("?page=1&size=100".to_owned(), whose)],
        "list_team_pipelines" | "list_undelivered" | "list_destinations" => {
            vec![(format!("?team_id={}", owner.team), whose)]
        }
        "list_events" => vec![
            (format!("?team_id={}", owner.team), whose),
            (format!("?user_id={}&full=true", owner.user), whose),
        ],
        "list_connections" => vec![
            ("?limit=500".to_owned(), whose),
            (format!("?team_id={}", owner.team), whose),
        ],
        _ => Vec::new(),
    }
}
