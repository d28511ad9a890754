//! Teams of a sample with their objects.

use std::collections::BTreeMap;

use chrono::DateTime;
use wearlab_models::{User, Uuid};
use wearlab_store::{KeyRecord, KeyScope, LabAccountRecord, StoreError};

use crate::parameters::PathValues;
use crate::{Running, linked, orders, put_event, values};

/// Team with an object of each kind.
#[derive(Clone)]
pub struct Owner {
    /// API key of the team, which allows everything.
    pub key: String,
    /// Revoked API key.
    pub revoked: String,
    /// Team.
    pub team: Uuid,
    /// User of the team.
    pub user: Uuid,
    /// `client_user_id` of the user.
    pub client_user_id: String,
    /// Lab account.
    pub account: Uuid,
    /// Event about the user.
    pub event_id: String,
    /// Organisation.
    pub org: String,
    /// Management key of the organisation, which allows everything.
    pub org_key: String,
    /// Revoked management key.
    pub revoked_org_key: String,
    /// Environment of the team.
    pub env: String,
    /// Region of the team.
    pub region: String,
}

impl Owner {
    /// Returns a path of the document, with values of this team for its parameters.
    pub fn path(&self, running: &Running, template: &str) -> String {
        let values = PathValues {
            sample: &running.sample,
            org: &self.org,
            team: self.team,
            env: &self.env,
            region: &self.region,
            key: &self.revoked,
            user: self.user,
            client_user_id: &self.client_user_id,
            event_id: &self.event_id,
        };
        values.fill(template)
    }
}

/// Returns the three teams of the sample, two of them in one organisation, each with a lab account and a revoked key.
pub async fn owners(running: &Running) -> [Owner; 3] {
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
            write.put(&orders::completed(owner.team, owner.user))?;
            let team = write.team(owner.team)?.ok_or(StoreError::Missing { what: "team" })?;
            linked::put(write, &owner.org, team, owner.user, &sample.oauth_provider)?;
            write.put_lab_account(&LabAccountRecord {
                team_id: owner.team,
                lab_account_id: owner.account,
                visible: visible.clone(),
            })?;
            for key in [
                KeyRecord::of_team(owner.team, &owner.key),
                KeyRecord::of_organisation(&owner.org, &owner.org_key),
            ] {
                let scopes = Some(KeyScope::ALL.into_iter().collect());
                write.put_key(&KeyRecord { scopes, ..key })?;
            }
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
