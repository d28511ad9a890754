//! Nobody reads what is another's.

use wearlab_client::{Client, Error};
use wearlab_tests::Running;

#[tokio::test]
async fn a_team_sees_its_own_alone() {
    let running = Running::start(60).await;
    let sample = &running.sample;
    let mine = running.client();
    let other = Client::builder()
        .base_url(&running.url)
        .api_key(&sample.other_team.team_api_key)
        .management_key(&sample.other_organisation.management_key)
        .build()
        .expect("a client");

    let user = sample.user_id;
    assert!(matches!(
        other.get_user().user_id(user).send().await,
        Err(Error::NotFound(_))
    ));
    assert!(matches!(
        other.list_user_providers().user_id(user).send().await,
        Err(Error::NotFound(_))
    ));
    assert!(matches!(
        other.list_user_devices().user_id(user).send().await,
        Err(Error::NotFound(_))
    ));
    let markers = other
        .list_lab_test_markers()
        .lab_test_id(&sample.lab_test_id)
        .lab_account_id(sample.lab_account_id);
    assert!(matches!(markers.send().await, Err(Error::NotFound(_))));
    let pipelines = other
        .list_team_pipelines()
        .org_id(&sample.org_id)
        .env(sample.env)
        .region(sample.region);
    assert!(matches!(pipelines.send().await, Err(Error::NotFound(_))));

    let (own, others) = (
        mine.list_users().limit(500).send().await,
        other.list_users().limit(500).send().await,
    );
    let (own, others) = (
        own.expect("own users").into_inner(),
        others.expect("other users").into_inner(),
    );
    assert!(own.users.iter().all(|user| user.team_id == sample.team_id));
    assert!(!others.users.is_empty());
    assert!(others.users.iter().all(|user| user.team_id != sample.team_id));
}

#[tokio::test]
async fn keys_open_their_own_area_alone() {
    let running = Running::start(5).await;
    let sample = &running.sample;
    let swapped = Client::builder()
        .base_url(&running.url)
        .api_key(&sample.management_key)
        .management_key(&sample.team_api_key)
        .build()
        .expect("a client");
    assert!(matches!(swapped.list_users().send().await, Err(Error::Unauthorized(_))));
    let pipelines = swapped
        .list_team_pipelines()
        .org_id(&sample.org_id)
        .env(sample.env)
        .region(sample.region);
    assert!(matches!(pipelines.send().await, Err(Error::Unauthorized(_))));
}
