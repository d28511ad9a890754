//! Lists of connections.

use uuid::Uuid;
use wearlab_models::ConnectionStatus;
use wearlab_store::ConnectionFilter;

use super::{NOW, linking};
use crate::world::{connection, user};

#[tokio::test]
async fn connections_are_listed_by_organisation_and_page() {
    let world = linking().await;
    let slugs = ["stridewell", "pulsebay", "tidalbeat"];
    world
        .write(|write| {
            for (team, id) in [(world.team, 21), (world.stranger, 22), (world.sister, 23)] {
                write.put_user(team, &user(team, id, NOW))?;
                for slug in slugs {
                    let mut made = connection(slug, NOW);
                    if slug == "pulsebay" {
                        made.status = ConnectionStatus::Error;
                    }
                    write.put_connection(team, Uuid::from_u128(id), &made)?;
                }
            }
            Ok(())
        })
        .await;
    let list = async |filter: ConnectionFilter<'_>, limit| {
        let page = world
            .store
            .connections_of_organisation(&world.ours, &filter, limit)
            .await;
        let page = page.expect("reads");
        let of = page.connections.into_iter();
        let of: Vec<_> = of.map(|one| (one.user_id.as_u128(), one.connection.slug)).collect();
        (of, page.next)
    };
    let (all, next) = list(ConnectionFilter::default(), 100).await;
    assert_eq!((all.len(), next), (6, None));
    let mut walked = Vec::new();
    let mut after = None;
    loop {
        let filter = ConnectionFilter {
            after,
            ..ConnectionFilter::default()
        };
        let (page, next) = list(filter, 2).await;
        walked.extend(page);
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(walked, all);
    let status = ConnectionStatus::Error;
    for (filter, count) in [
        (
            ConnectionFilter {
                provider: Some("tidalbeat"),
                ..ConnectionFilter::default()
            },
            2,
        ),
        (
            ConnectionFilter {
                team_id: Some(world.sister.uuid()),
                ..ConnectionFilter::default()
            },
            3,
        ),
        (
            ConnectionFilter {
                team_id: Some(world.stranger.uuid()),
                ..ConnectionFilter::default()
            },
            0,
        ),
        (
            ConnectionFilter {
                status: Some(&status),
                ..ConnectionFilter::default()
            },
            2,
        ),
    ] {
        assert_eq!(list(filter.clone(), 100).await.0.len(), count, "{filter:?}");
    }
}
