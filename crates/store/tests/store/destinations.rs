//! Backlogs of the destinations of an organisation, with their pipelines and endpoints.

use chrono::TimeDelta;
use wearlab_store::{Advance, Backlog, DestinationBacklog, DestinationId, Progress, TeamId, WebhookEndpoint};

use crate::arriving::{at, day, ingest, log, world};
use crate::pipelines::pipeline;
use crate::world::World;

const NOW: &str = "2026-06-01T12:00:00Z";

async fn backlog(world: &World, team: Option<TeamId>) -> Vec<DestinationBacklog> {
    let reads = world.store.organisation(&world.ours);
    let listed = reads.destinations(team.map(|team| team.uuid())).await;
    listed.expect("reads").expect("the team").destinations
}

async fn advance(world: &World, destination: DestinationId, results: Vec<(i64, Progress)>, cursor: i64) {
    let advance = Advance {
        results,
        cursor,
        ..Advance::default()
    };
    world.write(|write| write.advance(destination, &advance, at(NOW))).await;
}

fn parked() -> Progress {
    Progress::Parked {
        attempts: 3,
        reason: "refused".to_owned(),
    }
}

fn waiting(minutes: i64) -> Progress {
    Progress::Waiting {
        attempts: 1,
        due: at(NOW) + TimeDelta::minutes(minutes),
        reason: "failed".to_owned(),
    }
}

#[tokio::test]
async fn what_is_behind_is_counted_from_its_oldest_event_on() {
    let world = world().await;
    let queue = world
        .write(|write| write.destination(world.team, "rabbitmq", None))
        .await;
    assert_eq!(backlog(&world, None).await[0].backlog, Backlog::default());
    for minute in 0..4_u64 {
        ingest(&world, &[day(&format!("2026-05-{:02}", minute + 1), minute)]).await;
    }
    let events = log(&world.store).await;
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|at: usize| events[at].number);
    let is = async |waiting, parked, oldest: Option<usize>, due: Option<i64>| {
        let found = &backlog(&world, Some(world.team)).await[0];
        let expected = Backlog {
            waiting,
            parked,
            oldest: oldest.map(|at| events[at].created_on),
        };
        assert_eq!(found.backlog, expected);
        assert_eq!(found.next_due, due.map(|due| at(NOW) + TimeDelta::minutes(due)));
        // The backlog of a single destination is the same.
        assert_eq!(world.store.backlog(queue).await.expect("reads"), expected);
    };
    is(4, 0, Some(0), None).await;
    advance(&world, queue, vec![(first, parked())], first).await;
    is(3, 1, Some(1), None).await;
    advance(&world, queue, vec![(second, waiting(5)), (third, waiting(3))], third).await;
    is(3, 1, Some(1), Some(3)).await;
    // A held event counts as waiting, also if no earlier one waits.
    advance(&world, queue, vec![(second, Progress::Held), (third, parked())], fourth).await;
    is(1, 2, Some(1), None).await;
    advance(&world, queue, vec![(second, Progress::Done)], fourth).await;
    is(0, 2, None, None).await;
}

#[tokio::test]
async fn what_decides_where_events_go_is_of_the_same_teams() {
    let world = world().await;
    let hook = |id: &str, team: TeamId| WebhookEndpoint {
        webhook_id: id.to_owned(),
        team_id: team.uuid(),
        url: "https://receiver.example".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: Vec::new(),
        created_on: at(NOW),
        disabled: None,
    };
    world
        .write(|write| {
            for (id, team) in [("wh_1", world.team), ("wh_2", world.sister), ("wh_3", world.stranger)] {
                write.put_webhook(&hook(id, team))?;
                write.put_pipeline(team, &pipeline(team.uuid()))?;
                write.destination(team, "webhook", Some(id))?;
            }
            Ok(())
        })
        .await;
    let reads = world.store.organisation(&world.ours);
    for (team, teams) in [
        (None, vec![world.team, world.sister]),
        (Some(world.sister.uuid()), vec![world.sister]),
    ] {
        let listed = reads.destinations(team).await.expect("reads").expect("the team");
        let ids: Vec<_> = teams.iter().map(|team| team.uuid()).collect();
        let of_pipelines: Vec<_> = listed.pipelines.iter().map(|of| of.pipeline.team_id).collect();
        let of_webhooks: Vec<_> = listed.webhooks.iter().map(|of| of.team_id).collect();
        assert_eq!((&of_pipelines, &of_webhooks), (&ids, &ids));
        let destinations: Vec<_> = (listed.destinations.iter())
            .map(|of| (of.status.team_id, of.status.kind.as_str()))
            .collect();
        let expected: Vec<_> = ids
            .iter()
            .flat_map(|id| [(*id, "rabbitmq"), (*id, "webhook")])
            .collect();
        assert_eq!(destinations, expected, "by team and kind");
    }
}
