//! The table of what each operation answers, and whose it is. It fails for an operation that is not in it.

use wearlab_server::Operation;
use wearlab_server::operations::Credential;
use wearlab_store::KeyHash;
use wearlab_tests::owners::Owner;
use wearlab_tests::{QUERY, Running, values};

/// Whose a response is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// One team's: to others, it is not there.
    Team,
    /// Everybody's own: the same address lists something else for each team.
    EachTeam,
    /// One organisation's: to others, it is not there.
    Organisation,
    /// Everybody's: the same for each team.
    All,
}

/// A team with something of each kind.
#[derive(Clone)]
pub(super) struct Owner {
    pub(super) key: String,
    pub(super) revoked: String,
    pub(super) team: Uuid,
    pub(super) user: Uuid,
    pub(super) client_user_id: String,
    pub(super) account: Uuid,
    pub(super) event_id: String,
    pub(super) org: String,
    pub(super) org_key: String,
    pub(super) revoked_org_key: String,
    pub(super) env: String,
    pub(super) region: String,
}

/// The addresses of an operation's objects of a team, and whose they are.
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
        .replace("{env}", &owner.env)
        .replace("{region}", &owner.region)
        .replace("{resource}", "heartrate")
        .replace("{sleep_id}", &values::sleep_of(owner.user).to_string())
        .replace("{workout_id}", &values::workout_of(owner.user).to_string())
        .replace("{device_id}", &values::device_of(owner.user).to_string())
        .replace("{event_id}", &owner.event_id)
        .replace("{client_user_id}", &owner.client_user_id);
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
        "get_oauth_provider" | "list_cancellation_reasons" => &[(String::new(), Whose::All)],
        "list_lab_test_markers" => &[
            (String::new(), Whose::All),
            (format!("?lab_account_id={}", owner.account), Whose::Team),
        ],
        "search_diagnoses" => &[("?diagnosis_query=E11".to_owned(), Whose::All)],
        "list_team_pipelines" => &[
            (String::new(), Whose::Organisation),
            (format!("?team_id={}", owner.team), Whose::Organisation),
        ],
        "list_teams" | "get_team" | "list_keys" | "get_key" | "list_audit_log" => {
            &[(String::new(), Whose::Organisation)]
        }
        "list_events" => &[
            (String::new(), Whose::Organisation),
            (format!("?team_id={}", owner.team), Whose::Organisation),
            (format!("?user_id={}&full=true", owner.user), Whose::Organisation),
        ],
        "get_event" => &[(String::new(), Whose::Organisation)],
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

/// The three teams of the sample, two of them of one organisation, each with a lab account and a revoked key.
pub(super) async fn owners(running: &Running) -> [Owner; 3] {
    let sample = &running.sample;
    let (second, third) = (&sample.other_team, &sample.other_organisation.team);
    let teams = [
        (
            sample.team_id,
            sample.user_id,
            &sample.team_api_key,
            sample.env,
            sample.region,
        ),
        (
            second.team_id,
            second.user_id,
            &second.team_api_key,
            second.env,
            second.region,
        ),
        (
            third.team_id,
            third.user_id,
            &third.team_api_key,
            third.env,
            third.region,
        ),
    ];
    let organisations = [
        (&sample.org_id, &sample.management_key),
        (&sample.org_id, &sample.management_key),
        (
            &sample.other_organisation.org_id,
            &sample.other_organisation.management_key,
        ),
    ];
    let mut clients = Vec::new();
    for (_, user, key, ..) in &teams {
        let team = running.store.team_of_key(key).await.expect("a read").expect("a team");
        let user = running
            .store
            .team(team)
            .user(*user)
            .await
            .expect("a read")
            .expect("a user");
        let user: User = serde_json::from_slice(user.as_bytes()).expect("a user");
        clients.push(user.client_user_id);
    }
    let mut number = 0;
    let owners = teams.map(|(team, user, key, env, region)| {
        let (org, org_key) = organisations[number];
        number += 1;
        Owner {
            key: key.clone(),
            revoked: format!("wl_team_revoked_{number}"),
            team,
            user,
            client_user_id: clients[number - 1].clone(),
            account: Uuid::from_u128(number as u128),
            event_id: format!("evt_{number:032x}"),
            org: org.clone(),
            org_key: org_key.clone(),
            revoked_org_key: format!("wl_mgmt_revoked_{number}"),
            env: env.to_string(),
            region: region.to_string(),
        }
    });
    let visible = BTreeMap::from([(sample.lab_test_id.clone(), Vec::new())]);
    let event_ids: [fn() -> Uuid; 3] = [|| Uuid::from_u128(1), || Uuid::from_u128(2), || Uuid::from_u128(3)];
    let written = running.store.write(|write| {
        for (owner, event_id) in owners.iter().zip(event_ids) {
            let team = write.team(owner.team)?.expect("a team");
            put_event(write, team, owner.user, event_id)?;
            for record in values::records(owner.team, owner.user) {
                write.put(&record)?;
            }
            write.put_lab_account(&LabAccountRecord {
                team_id: owner.team,
                lab_account_id: owner.account,
                visible: visible.clone(),
            })?;
            for key in [
                KeyRecord::of_team(owner.team, &owner.revoked),
                KeyRecord::of_organisation(&owner.org, &owner.revoked_org_key),
            ] {
                let revoked_on = Some(DateTime::UNIX_EPOCH.fixed_offset());
                write.put_key(&KeyRecord { revoked_on, ..key })?;
            }
        }
        Ok(())
    });
    written.await.expect("writes");
    owners
}
