//! Teams, keys and the audit log as an organisation sees them.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta};
use uuid::Uuid;
use wearlab_models::{Environment, Region};
use wearlab_store::{AuditLogPosition, KeyFilter, KeyHash, OrganisationId, TeamRecord};

use crate::audit::actor;
use crate::keys::{of_organisation, of_team};
use crate::world::World;

fn team(id: u128, organisation: &OrganisationId) -> TeamRecord {
    TeamRecord {
        team_id: Uuid::from_u128(id),
        org_id: organisation.as_str().to_owned(),
        environment: Environment::Production,
        region: Region::Us,
    }
}

#[tokio::test]
async fn teams_of_an_organisation_come_in_pages_by_id() {
    let world = World::new().await;
    world
        .write(|write| (10..17).try_for_each(|id| write.put_team(&team(id, &world.ours)).map(drop)))
        .await;
    let mut ids = vec![world.team.uuid(), world.sister.uuid()];
    ids.extend((10..17).map(Uuid::from_u128));
    for limit in [1, 2, 3, 8, 9, 10] {
        let (mut walked, mut after) = (Vec::new(), None);
        loop {
            let page = world.store.teams(&world.ours, after, limit).await.expect("reads");
            assert!(page.teams.len() <= limit);
            walked.extend(page.teams.iter().map(|team| team.team_id));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        assert_eq!(walked, ids, "{limit}");
    }
    let found = world.store.organisation_team(&world.ours, Uuid::from_u128(12)).await;
    assert_eq!(found.expect("reads"), Some(team(12, &world.ours)));
    for other in [world.stranger.uuid(), Uuid::nil()] {
        let found = world.store.organisation_team(&world.ours, other).await;
        assert_eq!(found.expect("reads"), None);
        let found = world.write(|write| write.organisation_team(&world.ours, other)).await;
        assert_eq!(found, None);
    }
}

#[tokio::test]
async fn keys_of_an_organisation_are_its_own_and_those_of_its_teams() {
    let world = World::new().await;
    world
        .write(|write| {
            for (number, owner) in [world.team, world.sister, world.stranger]
                .into_iter()
                .cycle()
                .take(12)
                .enumerate()
            {
                write.put_key(&of_team(owner, &format!("key {number}")))?;
            }
            write.put_key(&of_organisation(&world.ours, "ours"))?;
            write.put_key(&of_organisation(&world.theirs, "theirs"))?;
            write.revoke_key(&KeyHash::of("key 0").id(), DateTime::UNIX_EPOCH)
        })
        .await;
    let own = |number: &usize| number % 3 != 2;
    let mut ids: BTreeSet<_> = (0..12)
        .filter(own)
        .map(|number| KeyHash::of(&format!("key {number}")).id())
        .collect();
    ids.insert(KeyHash::of("ours").id());
    for limit in [1, 4, 9, 10] {
        let (mut walked, mut filter) = (Vec::new(), KeyFilter::default());
        loop {
            let page = world
                .store
                .organisation_keys(&world.ours, &filter, limit)
                .await
                .expect("reads");
            assert!(page.keys.len() <= limit);
            walked.extend(page.keys.iter().map(|key| key.id.clone()));
            match page.next {
                Some(next) => filter.after = Some(next),
                None => break,
            }
        }
        assert!(walked.iter().eq(&ids), "{limit}: {walked:?}");
    }
    let of = async |team_id: Uuid| {
        let filter = KeyFilter {
            team_id: Some(team_id),
            after: None,
        };
        world
            .store
            .organisation_keys(&world.ours, &filter, 100)
            .await
            .expect("reads")
            .keys
            .len()
    };
    assert_eq!((of(world.sister.uuid()).await, of(world.stranger.uuid()).await), (4, 0));
    let key = async |key: &str| {
        let found = world.store.organisation_key(&world.ours, &KeyHash::of(key).id()).await;
        let found = found.expect("reads");
        let id = KeyHash::of(key).id();
        assert_eq!(
            world.write(|write| write.organisation_key(&world.ours, &id)).await,
            found
        );
        found
    };
    let revoked = key("key 0").await.expect("is there").record.revoked_on;
    assert_eq!(revoked, Some(DateTime::UNIX_EPOCH.fixed_offset()));
    assert!(
        key("ours")
            .await
            .is_some_and(|key| key.record.org_id.as_deref() == Some(world.ours.as_str()))
    );
    for other in ["key 2", "theirs", "none"] {
        assert_eq!(key(other).await, None, "{other}");
    }
}

#[tokio::test]
async fn the_log_of_a_team_is_read_on_from_where_it_was_looked_at() {
    let world = World::new().await;
    let now = DateTime::UNIX_EPOCH + TimeDelta::seconds(7);
    world
        .write(|write| {
            for number in 0..11_000 {
                let of = if number % 5_000 == 10 { world.team } else { world.sister };
                write.audit(of, &actor("r"), now, "create_user", Some(&number.to_string()))?;
            }
            Ok(())
        })
        .await;
    let all = world.store.audit_log(&world.ours, 0, i64::MAX).await.expect("reads");
    let (mut found, mut after, mut reads) = (Vec::new(), 0, 0);
    loop {
        let (entries, last) = world
            .store
            .team_audit_log(&world.ours, world.team.uuid(), AuditLogPosition::After(after), 2)
            .await
            .expect("reads");
        assert!(entries.len() <= 2 && last >= after);
        found.extend(entries.into_iter().filter_map(|entry| entry.subject));
        reads += 1;
        if last == after {
            break;
        }
        after = last;
    }
    assert_eq!(found, ["10", "5010", "10010"]);
    assert!(reads <= 4, "{reads}");
    assert_eq!(Some(after), all.last().map(|entry| entry.number));
    let nobody = world
        .store
        .team_audit_log(&world.ours, world.stranger.uuid(), AuditLogPosition::After(0), 2)
        .await;
    assert!(nobody.expect("reads").0.is_empty());
}
