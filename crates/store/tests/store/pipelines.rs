//! Pipelines of an organisation's teams.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::{Environment, Pipeline, Region};
use wearlab_store::{PipelineFilter, StoreError, TeamRecord};

use crate::world::{World, value};

pub(crate) fn pipeline(team_id: Uuid) -> Pipeline {
    let base = json!({
        "team_id": team_id,
        "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]},
        "push_historical_data": true,
        "provider_raw_data": false,
        "rabbitmq": {"uri": "amqps://user:word@broker.example/", "exchange": "events"},
        "event_type_prefixes": [],
    });
    value(base, json!({}))
}

#[tokio::test]
async fn pipelines_are_those_of_one_place() {
    let world = World::new().await;
    let places = [
        (&world.ours, Environment::Production, Region::Us),
        (&world.ours, Environment::Production, Region::Eu),
        (&world.ours, Environment::Sandbox, Region::Us),
        (&world.theirs, Environment::Production, Region::Us),
    ];
    world
        .write(|write| {
            for (at, (organisation, environment, region)) in (10..).zip(places) {
                let team_id = Uuid::from_u128(at);
                let team = write.put_team(&TeamRecord {
                    team_id,
                    org_id: organisation.as_str().to_owned(),
                    environment,
                    region,
                })?;
                write.put_pipeline(team, &pipeline(team_id))?;
            }
            Ok(())
        })
        .await;
    for (at, (organisation, environment, region)) in (10..).zip(places) {
        let filter = PipelineFilter::default();
        let page = world
            .store
            .pipelines(organisation, environment, region, &filter, 50)
            .await
            .expect("reads");
        assert_eq!(page.pipelines, [pipeline(Uuid::from_u128(at))]);
        assert_eq!(page.next, None);
        for (team_id, hits) in [(10, usize::from(at == 10)), (1, 0), (99, 0)] {
            let filter = PipelineFilter {
                team_id: Some(Uuid::from_u128(team_id)),
                after: None,
            };
            let page = world
                .store
                .pipelines(organisation, environment, region, &filter, 50)
                .await
                .expect("reads");
            assert_eq!(page.pipelines.len(), hits, "{team_id} at {at}");
        }
    }
}

#[tokio::test]
async fn pages_follow_each_other() {
    let world = World::new().await;
    let ids: Vec<Uuid> = (0..7).map(|at| Uuid::from_u128(0x1000 - at * 7)).collect();
    world
        .write(|write| {
            for team_id in &ids {
                let team = write.put_team(&TeamRecord {
                    team_id: *team_id,
                    org_id: world.ours.as_str().to_owned(),
                    environment: Environment::Sandbox,
                    region: Region::Eu,
                })?;
                write.put_pipeline(team, &pipeline(*team_id))?;
            }
            Ok(())
        })
        .await;
    let mut sorted = ids.clone();
    sorted.sort();
    for limit in [1, 2, 3, 6, 7, 8, usize::MAX] {
        let mut filter = PipelineFilter::default();
        let mut seen = Vec::new();
        loop {
            let page = world
                .store
                .pipelines(&world.ours, Environment::Sandbox, Region::Eu, &filter, limit)
                .await;
            let page = page.expect("reads");
            assert!(page.pipelines.len() <= limit);
            seen.extend(page.pipelines.iter().map(|pipeline| pipeline.team_id));
            filter.after = page.next;
            if page.next.is_none() {
                break;
            }
        }
        assert_eq!(seen, sorted, "{limit} a page");
    }
    let filter = PipelineFilter::default();
    let none = world
        .store
        .pipelines(&world.ours, Environment::Sandbox, Region::Eu, &filter, 0)
        .await
        .expect("reads");
    assert!(none.pipelines.is_empty() && none.next.is_none());
}

#[tokio::test]
async fn a_pipeline_is_put_under_its_own_team() {
    let world = World::new().await;
    let result = world
        .store
        .write(|write| write.put_pipeline(world.sister, &pipeline(world.team.uuid())))
        .await;
    let error = result.expect_err("is refused");
    assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
}
