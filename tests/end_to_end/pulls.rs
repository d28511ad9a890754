//! Pulls of connectors over HTTP: refreshes of a user, and what an organisation sees and begins anew.

use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use wearlab_client::Error;
use wearlab_models::{PullSelection, PullStatus, RefreshedUser, Uuid};
use wearlab_service::Settings;
use wearlab_store::{PullTask, PullTaskUpdate, RECENT_TASKS, Store, StoreError, TeamId, Transaction};
use wearlab_tests::owners::owners;
use wearlab_tests::write_requests::new_user;
use wearlab_tests::{Running, linked};

use crate::administration::Admin;

/// A running service with a user whose connection a connector has pulled, and one whose connection has no connector.
struct World {
    running: Running,
    team: TeamId,
    user: Uuid,
    other: Uuid,
    slug: String,
}

impl World {
    async fn new() -> Self {
        Self::of(Running::start(3).await).await
    }

    async fn of(running: Running) -> Self {
        let [owner, ..] = owners(&running).await;
        let (user, other) = (new_user(&running, &owner).await, new_user(&running, &owner).await);
        let slug = linked::CONNECTOR.to_owned();
        let team = running
            .store
            .team_of_key(&owner.key)
            .await
            .expect("reads")
            .expect("a team");
        let world = Self {
            running,
            team,
            user,
            other,
            slug,
        };
        world
            .write(|write| linked::put(write, &world.running.sample.org_id, team, user, &world.slug))
            .await;
        world
            .write(|write| linked::put_pulls(write, team, user, &world.slug))
            .await;
        world
    }

    async fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send) -> T
    where
        T: Send,
    {
        self.running.store.write(|write| work(write)).await.expect("writes")
    }

    async fn refresh(&self, user: Uuid, timeout: f64) -> Result<RefreshedUser, Error> {
        let client = self.running.client();
        let refreshed = client.refresh_user(user).timeout_(timeout).send().await;
        refreshed.map(wearlab_client::Response::into_inner)
    }

    /// Returns the sources of a refresh: refreshed, in progress, failed.
    async fn sources(&self, timeout: f64) -> [Vec<String>; 3] {
        let refreshed = self.refresh(self.user, timeout).await.expect("a refresh");
        assert_eq!(refreshed.user_id, self.user);
        assert!(refreshed.success);
        [
            refreshed.refreshed_sources,
            refreshed.in_progress_sources,
            refreshed.failed_sources,
        ]
    }

    async fn tasks(&self) -> Vec<PullTask> {
        self.running
            .store
            .pull_tasks(self.team, self.user)
            .await
            .expect("reads")
    }

    /// Sets the status of the connection.
    async fn set_status(&self, status: &str) {
        let connection = serde_json::from_value(json!({
            "name": "Stridewell", "slug": self.slug, "logo": "https://assets.example.com/logo.png", "status": status,
            "created_on": "2026-01-02T03:04:05Z", "resource_availability": {}, "error_details": null,
        }));
        let connection = connection.expect("a connection");
        self.write(|write| write.put_connection(self.team, self.user, &connection))
            .await;
    }
}

/// Works on the due tasks of a user as a connector does, until none of the last days is due: each is
/// pulled, or has a failure. Its attempts ended some minutes ago, so that another refresh repeats them.
async fn work(store: Store, team: TeamId, user: Uuid, slug: String, reason: Option<&'static str>) {
    loop {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let worked = store.write(|write| {
            let now = Utc::now();
            let until = now + TimeDelta::minutes(1);
            for task in write.lease_pull_tasks(&[&slug], now, until, 100, Uuid::now_v7)? {
                let update = PullTaskUpdate {
                    due: Some(now + TimeDelta::hours(1)),
                    state: task.state.clone(),
                    failures: u32::from(reason.is_some()),
                    reason: reason.map(str::to_owned),
                };
                write.finish_pull_task(&task, &update, now - TimeDelta::minutes(2))?;
            }
            Ok(())
        });
        worked.await.expect("writes");
        let tasks = store.pull_tasks(team, user).await.expect("reads");
        if tasks.iter().all(|task| task.due.is_none_or(|due| due > Utc::now())) {
            return;
        }
    }
}

#[tokio::test]
async fn a_refresh_waits_until_the_last_days_are_pulled() {
    let world = World::new().await;
    // One is leased for some minutes by a process that does not end it.
    assert_eq!(world.sources(0.0).await, [vec![], vec![world.slug.clone()], vec![]]);
    let recent: Vec<_> = world.tasks().await;
    let recent = recent.iter().filter(|task| task.name.starts_with(RECENT_TASKS));
    assert!(recent.clone().count() == 3 && recent.clone().all(|task| task.due.is_some_and(|due| due <= Utc::now())));
    let began = Instant::now();
    assert_eq!(world.sources(0.5).await, [vec![], vec![world.slug.clone()], vec![]]);
    assert!(began.elapsed() >= Duration::from_millis(500));

    // The tasks begin anew, and the lease ends.
    world
        .write(|write| linked::put(write, &world.running.sample.org_id, world.team, world.user, &world.slug))
        .await;
    world
        .write(|write| linked::put_pulls(write, world.team, world.user, &world.slug))
        .await;
    let later = Utc::now() + TimeDelta::minutes(6);
    world
        .write(|write| {
            for task in
                write.lease_pull_tasks(&[&world.slug], later, later + TimeDelta::seconds(1), 100, Uuid::now_v7)?
            {
                let update = PullTaskUpdate {
                    due: Some(later + TimeDelta::hours(1)),
                    state: task.state.clone(),
                    failures: 0,
                    reason: None,
                };
                write.finish_pull_task(&task, &update, Utc::now() - TimeDelta::minutes(2))?;
            }
            Ok(())
        })
        .await;
    for (reason, expected) in [
        (None, [vec![world.slug.clone()], vec![], vec![]]),
        (Some("forbidden"), [vec![], vec![], vec![world.slug.clone()]]),
    ] {
        let store = world.running.store.clone();
        // It must not end before the request has begun.
        let began = Instant::now();
        let refresh = world.sources(20.0);
        let working = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            work(store, world.team, world.user, world.slug.clone(), reason).await;
        };
        let (sources, ()) = tokio::join!(refresh, working);
        assert_eq!(sources, expected);
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test]
async fn a_refresh_that_cannot_wait_changes_nothing() {
    let mut settings = Settings::default();
    settings.limits.waits_per_organisation = 0;
    let world = World::of(Running::start_with(3, settings).await).await;
    let before = world.tasks().await;
    let refused = world.refresh(world.user, 0.5).await;
    assert!(matches!(refused, Err(Error::RateLimited(_))), "{refused:?}");
    assert_eq!(world.tasks().await, before);
    // One that does not wait needs no permit.
    assert_eq!(world.sources(0.0).await, [vec![], vec![world.slug.clone()], vec![]]);
}

#[tokio::test]
async fn a_pull_that_succeeded_a_moment_ago_is_refreshed() {
    let world = World::new().await;
    let later = Utc::now() + TimeDelta::hours(2);
    world
        .write(|write| {
            for task in write.lease_pull_tasks(&[&world.slug], later, later, 100, Uuid::now_v7)? {
                let update = PullTaskUpdate {
                    due: Some(later),
                    state: task.state.clone(),
                    failures: 0,
                    reason: None,
                };
                write.finish_pull_task(&task, &update, Utc::now())?;
            }
            Ok(())
        })
        .await;
    let before = world.tasks().await;
    assert_eq!(world.sources(5.0).await, [vec![world.slug.clone()], vec![], vec![]]);
    assert_eq!(world.tasks().await, before);
}

#[tokio::test]
async fn a_refresh_leaves_out_what_cannot_be_pulled() {
    let world = World::new().await;
    world.set_status("paused").await;
    assert_eq!(world.sources(5.0).await, [const { Vec::<String>::new() }; 3]);
    world.set_status("error").await;
    assert_eq!(world.sources(5.0).await, [vec![], vec![], vec![world.slug.clone()]]);
    let tasks = world.tasks().await;
    let heart = tasks.iter().find(|task| task.name == "recent:heart").expect("a task");
    assert!(heart.due.is_some_and(|due| due > Utc::now()), "it waits for the user");

    let bare = world.refresh(world.other, 5.0).await.expect("a refresh");
    assert!(bare.success);
    assert_eq!(
        bare.refreshed_sources.len() + bare.in_progress_sources.len() + bare.failed_sources.len(),
        0
    );
    let nobody = world.refresh(Uuid::nil(), 5.0).await;
    assert!(matches!(nobody, Err(Error::NotFound(_))), "{nobody:?}");
    let too_long = world.refresh(world.user, 60.5).await;
    assert!(matches!(too_long, Err(Error::Invalid(_))), "{too_long:?}");
}

#[tokio::test]
async fn a_connection_without_a_connector_is_not_pulled() {
    let world = World::new().await;
    let (team, user, sample) = (world.team, world.user, &world.running.sample);
    let own_client = || {
        world.write(|write| {
            let organisation = write.put_organisation(&sample.org_id)?;
            linked::set_up(write, &organisation, &world.slug)
        })
    };
    own_client().await;
    // A connector that was switched off leaves its settings and its tasks.
    let switched_off = &sample.oauth_provider;
    world
        .write(|write| {
            linked::put(write, &sample.org_id, team, user, switched_off)?;
            linked::put_pulls(write, team, user, switched_off)
        })
        .await;
    let before = world.tasks().await;
    assert_eq!(world.sources(5.0).await, [const { Vec::<String>::new() }; 3]);
    let client = world.running.client();
    for (slug, history) in [
        (&world.slug, false),
        (&world.slug, true),
        (switched_off, false),
        (switched_off, true),
    ] {
        let body = PullSelection::builder().history(history).build();
        let pulled = client
            .pull_again(&sample.org_id, team.uuid(), user, slug, body)
            .send()
            .await;
        assert!(
            matches!(pulled, Err(Error::Conflict(_))),
            "{slug} {history}: {pulled:?}"
        );
    }
    assert_eq!(world.tasks().await, before);
}

#[tokio::test]
async fn a_refresh_hastens_a_link_that_failed() {
    let world = World::new().await;
    let put = |write: &Transaction<'_>| {
        linked::put(write, &world.running.sample.org_id, world.team, world.user, &world.slug)?;
        let organisation = write.put_organisation(&world.running.sample.org_id)?;
        linked::set_up_connector(write, &organisation, &world.slug)?;
        let now = Utc::now() + TimeDelta::minutes(10);
        for link in write.lease_pull_tasks(&[&world.slug], now, now + TimeDelta::minutes(1), 100, Uuid::now_v7)? {
            let update = PullTaskUpdate {
                due: Some(now + TimeDelta::days(1)),
                state: link.state.clone(),
                failures: 1,
                reason: Some("forbidden".to_owned()),
            };
            write.finish_pull_task(&link, &update, now)?;
        }
        Ok(())
    };
    world.write(put).await;
    assert_eq!(world.sources(0.0).await, [vec![], vec![world.slug.clone()], vec![]]);
    let tasks = world.tasks().await;
    assert_eq!(tasks.len(), 1);
    assert!(tasks[0].due.is_some_and(|due| due <= Utc::now()), "{tasks:?}");
}

#[tokio::test]
async fn an_organisation_sees_pulls_and_begins_them_anew() {
    let world = World::new().await;
    let (client, org) = (world.running.client(), world.running.sample.org_id.clone());
    let (team, user, slug) = (world.team.uuid(), world.user, &world.slug);
    let list = async || {
        let listed = client.list_pulls(&org, team, user).send().await;
        listed.expect("a list").into_inner().pulls
    };
    let shown: Value = json!(list().await);
    let shown: Vec<_> = shown
        .as_array()
        .expect("a list")
        .iter()
        .map(|pull| {
            json!([
                pull["kind"],
                pull["collection"],
                pull["status"],
                pull["windows_done"],
                pull["windows"]
            ])
        })
        .collect();
    assert_eq!(
        json!(shown),
        json!([
            ["link", null, "success", null, null],
            ["history", "activity", "scheduled", 0, 2],
            ["history", "sleep", "retrying", 1, 2],
            ["recent", "activity", "scheduled", null, null],
            ["recent", "heart", "failure", null, null],
            ["recent", "sleep", "in_progress", null, null],
        ])
    );
    let pull = async |history: bool| {
        let body = PullSelection::builder().history(history).build();
        client.pull_again(&org, team, user, slug, body).send().await
    };
    pull(false).await.expect("is due");
    let recent = |pulls: Vec<wearlab_models::PullTask>| {
        let of_kind = pulls.into_iter().filter(|pull| pull.kind.as_str() == "recent");
        of_kind.collect::<Vec<_>>()
    };
    let due = recent(list().await);
    assert!(
        due.iter()
            .all(|pull| pull.next_attempt_at.is_some_and(|at| at.to_utc() <= Utc::now())),
        "{due:?}"
    );
    pull(true).await.expect("is due");
    let restarted = list().await;
    assert_eq!(restarted.len(), 1);
    assert_eq!(
        (restarted[0].kind.as_str(), &restarted[0].status),
        ("link", &PullStatus::Scheduled)
    );
    pull(false).await.expect("is due");

    let entries = Admin::of(&world.running).get("/audit_log?limit=500").await.ok(200);
    let entries = entries["entries"].as_array().expect("a list").iter();
    let own = entries.filter(|entry| entry["operation"] == "pull_again" && entry["subject"] == json!(user));
    assert_eq!(own.count(), 3);
}
