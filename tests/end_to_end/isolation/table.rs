//! Responses of each operation, with their owners. It fails for an unknown operation.

use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_store::KeyHash;
use wearlab_tests::owners::Owner;
use wearlab_tests::{QUERY, Running, orders, values};

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

/// Returns the URLs of an operation for objects of a team, with their owners.
pub(super) fn rows(operation: &Operation, owner: &Owner, running: &Running) -> Vec<(String, Whose)> {
    let sample = &running.sample;
    let path = operation
        .path
        .replace("{user_id}", &owner.user.to_string())
        .replace("{oauth_provider}", &sample.oauth_provider)
        .replace("{lab_test_id}", &sample.lab_test_id)
        .replace("{team_id}", &owner.team.to_string())
        .replace("{key_id}", &KeyHash::of(&owner.revoked).id())
        .replace("{org_id}", &owner.org)
        .replace("{webhook_id}", &values::webhook_of(owner.team))
        .replace("{env}", &owner.env)
        .replace("{region}", &owner.region)
        .replace("{resource}", "heartrate")
        .replace("{sleep_id}", &values::sleep_of(owner.user).to_string())
        .replace("{workout_id}", &values::workout_of(owner.user).to_string())
        .replace("{device_id}", &values::device_of(owner.user).to_string())
        .replace("{order_id}", &orders::order_of(owner.user).to_string())
        .replace("{event_id}", &owner.event_id)
        .replace("{client_user_id}", &owner.client_user_id)
        .replace("{slug}", &sample.oauth_provider)
        .replace("{provider}", &sample.oauth_provider);
    assert!(!path.contains('{'), "{path} has a parameter that is not filled");
    let rows: &[(String, Whose)] = match operation.id {
        "get_user" | "resolve_user" | "list_user_providers" | "list_user_devices" | "get_user_device" => {
            &[(String::new(), Whose::Team)]
        }
        "list_activity"
        | "list_body"
        | "list_sleep"
        | "list_sleep_cycles"
        | "list_workouts"
        | "list_meals"
        | "list_menstrual_cycles"
        | "list_electrocardiograms"
        | "list_samples"
        | "list_blood_pressure"
        | "list_notes" => &[(QUERY.to_owned(), Whose::Team)],
        "get_profile" | "get_sleep_stream" | "get_workout_stream" => &[(String::new(), Whose::Team)],
        "list_introspected_resources" | "list_historical_pulls" => &[
            (String::new(), Whose::EachTeam),
            (format!("?user_id={}", owner.user), Whose::Team),
        ],
        "list_users" => &[
            ("?limit=500".to_owned(), Whose::EachTeam),
            (format!("?client_user_id=any&team_id={}", owner.team), Whose::EachTeam),
        ],
        "list_providers" => &[(String::new(), Whose::All), ("?source_type=app".to_owned(), Whose::All)],
        "get_oauth_provider" | "list_cancellation_reasons" | "list_all_lab_tests" => &[(String::new(), Whose::All)],
        "list_lab_test_markers" | "list_lab_tests" | "get_lab_test" => &[
            (String::new(), Whose::All),
            (format!("?lab_account_id={}", owner.account), Whose::Team),
        ],
        "get_order" | "get_order_result" | "get_order_result_metadata" | "get_order_result_fhir" => {
            &[(String::new(), Whose::Team)]
        }
        "list_orders" => &[
            (String::new(), Whose::EachTeam),
            ("?page=1&size=100".to_owned(), Whose::EachTeam),
        ],
        "search_diagnoses" => &[("?diagnosis_query=E11".to_owned(), Whose::All)],
        "list_team_pipelines" => &[
            (String::new(), Whose::Organisation),
            (format!("?team_id={}", owner.team), Whose::Organisation),
        ],
        "get_pipeline" | "list_webhooks" | "get_webhook" => &[(String::new(), Whose::Organisation)],
        "list_teams" | "get_team" | "list_keys" | "get_key" | "list_audit_log" => {
            &[(String::new(), Whose::Organisation)]
        }
        "list_events" => &[
            (String::new(), Whose::Organisation),
            (format!("?team_id={}", owner.team), Whose::Organisation),
            (format!("?user_id={}&full=true", owner.user), Whose::Organisation),
        ],
        "get_event" | "list_event_attempts" => &[(String::new(), Whose::Organisation)],
        "list_undelivered" | "list_destinations" => &[
            (String::new(), Whose::Organisation),
            (format!("?team_id={}", owner.team), Whose::Organisation),
        ],
        "list_provider_settings"
        | "get_provider_settings"
        | "get_redirect_urls"
        | "list_link_tokens"
        | "get_access_token" => &[(String::new(), Whose::Organisation)],
        "list_connections" => &[
            ("?limit=500".to_owned(), Whose::Organisation),
            (format!("?team_id={}", owner.team), Whose::Organisation),
        ],
        other => panic!("{other} is not in the table: say whose its objects are"),
    };
    let url = match operation.security[0][0] {
        Credential::ManagementKey => &running.management_url,
        _ => &running.url,
    };
    rows.iter()
        .map(|(query, whose)| (format!("{url}{path}{query}"), *whose))
        .collect()
}
