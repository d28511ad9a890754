//! Query plans of the tasks of connectors.

use chrono::TimeDelta;
use uuid::Uuid;
use wearlab_models::Secret;
use wearlab_store::{NewPullTask, OAuthTokens, PullTaskUpdate, TeamId};

use super::Work;
use super::watched::{NOW, USERS};
use crate::arriving::at;
use crate::server::wait;

const SLUGS: [&str; 3] = ["pulsely", "stridewell", "tidalbeat"];

/// Returns the operations, each with a name and the minimum number of rows that it finds.
pub(super) fn works(team: TeamId) -> Vec<(&'static str, usize, Work<'static>)> {
    let user = Uuid::from_u128(u128::try_from(USERS / 2).expect("a number"));
    let now = at(NOW);
    let until = now + TimeDelta::minutes(10);
    vec![
        (
            "an attempt of due tasks",
            64,
            Box::new(move |store| {
                let leased = wait(store.write(|write| write.lease_pull_tasks(&SLUGS, now, until, 64, Uuid::new_v4)))?;
                for task in &leased {
                    let update = PullTaskUpdate {
                        due: Some(now),
                        state: "{}".to_owned(),
                        failures: 0,
                        reason: None,
                    };
                    let finished = wait(store.write(|write| {
                        let history = NewPullTask {
                            name: "history:sleep".to_owned(),
                            priority: 2,
                            due: until,
                            state: "{}".to_owned(),
                        };
                        write.add_pull_tasks(task, &[history])?;
                        write.renew_pull_task(task, until)?;
                        write.finish_pull_task(task, &update, now)
                    }));
                    assert!(finished?);
                }
                Ok(leased.len())
            }),
        ),
        (
            "no due tasks",
            0,
            Box::new(move |store| {
                let before = at("1960-01-01T00:00:00Z");
                let leased = store.write(|write| write.lease_pull_tasks(&SLUGS, before, until, 64, Uuid::new_v4));
                Ok(wait(leased)?.len())
            }),
        ),
        (
            "the time of the next task",
            1,
            Box::new(|store| Ok(wait(store.next_pull_task_due(&SLUGS))?.iter().count())),
        ),
        (
            "the tasks of a user",
            1,
            Box::new(move |store| Ok(wait(store.pull_tasks(team, user))?.len())),
        ),
        (
            "tasks that are hastened",
            1,
            Box::new(move |store| {
                wait(store.write(|write| {
                    let found = write.hasten_pull_tasks(team, user, "stridewell", TimeDelta::zero(), now)?;
                    Ok(usize::from(found))
                }))
            }),
        ),
        (
            "a second link",
            1,
            Box::new(move |store| {
                let tokens = OAuthTokens {
                    access_token: Secret::new("access"),
                    token_type: String::new(),
                    refresh_token: None,
                    expires_at: None,
                    scopes: Vec::new(),
                    origins: None,
                };
                wait(store.write(|write| write.put_tokens(team, user, "stridewell", &tokens, None, Uuid::new_v4())))?;
                Ok(wait(store.pull_tasks(team, user))?.len())
            }),
        ),
    ]
}
