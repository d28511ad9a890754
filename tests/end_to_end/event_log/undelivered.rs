//! Undelivered events over HTTP: listed, replayed and created, only for the key's organisation.

use wearlab_client::Error;
use wearlab_models::{DeliveryKind, DestinationStatus, NewEvent, UndeliveredState, Uuid};
use wearlab_tests::Running;
use wearlab_tests::undelivered::{self, due};

#[tokio::test]
async fn a_parked_event_is_listed_and_replayed() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    let behind = undelivered::put(&running.store, sample.team_id, sample.user_id).await;
    let call = || client.list_undelivered(&sample.org_id);
    let all = call().send().await.expect("a list").into_inner();
    let states: Vec<_> = all.undelivered.iter().map(|event| event.state.clone()).collect();
    let expected = [
        UndeliveredState::Waiting,
        UndeliveredState::Held,
        UndeliveredState::Parked,
    ];
    assert_eq!((states.as_slice(), &all.next_cursor), (&expected[..], &None));
    let ids: Vec<_> = all.undelivered.iter().map(|event| &event.event_id).collect();
    assert_eq!(ids, behind.event_ids.iter().collect::<Vec<_>>());
    assert!(
        all.undelivered
            .iter()
            .all(|event| event.webhook_id.as_ref() == Some(&behind.webhook_id))
    );
    assert_eq!(all.undelivered[0].due, Some(due().fixed_offset()));

    // Page by page, the result is the same.
    let (mut pages, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let call = call().limit(1);
        let call = match &cursor {
            Some(cursor) => call.next_cursor(cursor),
            None => call,
        };
        let page = call.send().await.expect("a page").into_inner();
        pages.extend(page.undelivered);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
        assert!(pages.len() < 4, "it does not end");
        let other = client.list_undelivered(&sample.org_id).state(UndeliveredState::Parked);
        let other = other.next_cursor(cursor.as_ref().expect("a cursor")).send().await;
        assert!(matches!(other, Err(Error::Invalid(_))), "a cursor of another list");
    }
    assert_eq!(pages, all.undelivered);

    let parked = || call().state(UndeliveredState::Parked).team_id(sample.team_id);
    let listed = parked().send().await.expect("a list").into_inner();
    assert_eq!(listed.undelivered, all.undelivered[2..]);
    let replayed = client.replay_event(&sample.org_id, &behind.event_ids[2]);
    let replayed = replayed.send().await.expect("a replay").into_inner();
    // Also to the broker, which already has it.
    assert_eq!((&replayed.event_id, replayed.destinations), (&behind.event_ids[2], 2));
    let listed = parked().send().await.expect("a list").into_inner();
    assert!(listed.undelivered.is_empty(), "{listed:?}");
    let waiting = call().state(UndeliveredState::Waiting).send().await.expect("a list");
    assert_eq!(waiting.undelivered.len(), 3);
    let unknown = call().state("brand_new").send().await.expect("a list");
    assert!(unknown.undelivered.is_empty());
}

#[tokio::test]
async fn destinations_say_how_far_they_are_behind() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    let behind = undelivered::put(&running.store, sample.team_id, sample.user_id).await;
    let idle = undelivered::put_idle(&running.store, sample.team_id).await;
    let listed = client
        .list_destinations(&sample.org_id)
        .send()
        .await
        .expect("a list")
        .into_inner();
    // The pipelines of the sample have other kinds.
    let of_kind = |kind: &str| {
        let mut of_team = listed.destinations.iter().filter(|of| of.team_id == sample.team_id);
        of_team.find(|of| of.kind == kind).expect("a destination")
    };
    let hook_of = |id: &String| {
        let mut hooks = listed.destinations.iter();
        hooks.find(|of| of.webhook_id.as_ref() == Some(id)).expect("a webhook")
    };
    let (broker, hook, idle) = (of_kind("rabbitmq"), hook_of(&behind.webhook_id), hook_of(&idle));
    assert_eq!(
        (broker.kind.as_str(), broker.waiting, broker.parked),
        ("rabbitmq", 0, 0)
    );
    // A demo delivers only to webhooks, and reports that.
    assert_eq!(
        (&broker.status, broker.oldest, broker.next_attempt),
        (&DestinationStatus::NotEnabled, None, None)
    );
    let reason = broker.reason.as_deref().expect("a reason");
    assert!(reason.starts_with("a demo sends to webhooks alone"), "{reason}");
    assert_eq!(
        (&idle.status, &idle.reason, idle.next_attempt),
        (&DestinationStatus::Up, &None, None)
    );
    assert_eq!(
        (hook.webhook_id.as_ref(), hook.waiting, hook.parked),
        (Some(&behind.webhook_id), 2, 1)
    );
    assert_eq!(
        (&hook.status, hook.next_attempt),
        (&DestinationStatus::Down, Some(due().fixed_offset()))
    );
    assert!(hook.since.is_some() && hook.oldest.is_some() && hook.reason.is_some());
    let sister = sample.other_team.team_id;
    let listed = client.list_destinations(&sample.org_id).team_id(sister).send().await;
    let listed = listed.expect("a list").into_inner().destinations;
    assert!(listed.iter().all(|of| of.team_id == sister), "{listed:?}");
}

#[tokio::test]
async fn a_destination_that_is_sent_nothing_says_why() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    let behind = undelivered::put(&running.store, sample.team_id, sample.user_id).await;
    let hook = async || {
        let listed = client
            .list_destinations(&sample.org_id)
            .team_id(sample.team_id)
            .send()
            .await;
        let listed = listed.expect("a list").into_inner().destinations;
        let mut of = listed
            .into_iter()
            .filter(|of| of.webhook_id.as_ref() == Some(&behind.webhook_id));
        of.next().expect("the webhook")
    };
    let change = async |url: &str, disabled: Option<&str>, enabled: &[DeliveryKind]| {
        let written = running.store.write(|write| {
            let mut webhook = write.webhook(&behind.webhook_id)?.expect("is there");
            webhook.url = url.to_owned();
            webhook.disabled = disabled.map(str::to_owned);
            write.put_webhook(&webhook)?;
            let team = write.team(sample.team_id)?.expect("is there");
            let mut pipeline = write.pipeline(team)?.expect("is there");
            pipeline.preferences.enabled = enabled.to_vec();
            write.put_pipeline(team, &pipeline)
        });
        written.await.expect("writes");
    };
    let (fine, bad) = ("https://app.example.com/hook", "ftp://app.example.com/hush4711");
    let (svix, none) = ([DeliveryKind::Svix], []);
    let since = hook().await.since;
    assert!(since.is_some());
    // The first condition that holds is reported.
    for (url, disabled, enabled, status, reason) in [
        (
            bad,
            Some("responded 410"),
            &none[..],
            DestinationStatus::Disabled,
            "responded 410",
        ),
        (
            bad,
            None,
            &none,
            DestinationStatus::NotEnabled,
            "does not enable this kind",
        ),
        (bad, None, &svix, DestinationStatus::Unusable, "webhook: "),
        (fine, None, &svix, DestinationStatus::Down, "503"),
    ] {
        change(url, disabled, enabled).await;
        let hook = hook().await;
        assert_eq!(hook.status, status);
        let said = hook.reason.expect("a reason");
        assert!(
            said.contains(reason) && !said.contains("hush4711"),
            "{status:?}: {said}"
        );
        let next = (status == DestinationStatus::Down).then(|| due().fixed_offset());
        assert_eq!((hook.next_attempt, hook.since), (next, since), "{status:?}");
        assert_eq!((hook.waiting, hook.parked), (2, 1));
    }
    // An event keeps its state if its destination is disabled.
    change(fine, Some("responded 410"), &none).await;
    let listed = client.list_undelivered(&sample.org_id).send().await.expect("a list");
    assert_eq!(listed.undelivered[0].state, UndeliveredState::Waiting);
}

#[tokio::test]
async fn another_organisation_is_not_there() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    let other = &sample.other_organisation;
    let (team, user) = (other.team.team_id, other.team.user_id);
    let behind = undelivered::put(&running.store, team, user).await;
    let own = client.list_undelivered(&sample.org_id).send().await.expect("a list");
    assert!(own.undelivered.is_empty(), "{own:?}");
    let own = client.list_destinations(&sample.org_id).send().await.expect("a list");
    assert!(own.destinations.iter().all(|of| of.team_id != team), "{own:?}");
    let of_team = client.list_undelivered(&sample.org_id).team_id(team).send().await;
    assert!(matches!(of_team, Err(Error::NotFound(_))));
    let of_team = client.list_destinations(&sample.org_id).team_id(team).send().await;
    assert!(matches!(of_team, Err(Error::NotFound(_))));
    let replayed = client.replay_event(&sample.org_id, &behind.event_ids[2]).send().await;
    assert!(matches!(replayed, Err(Error::NotFound(_))));
    let new = || NewEvent::builder().event_type("daily.data.steps.created").build();
    for (team, user) in [(team, user), (sample.team_id, user), (sample.team_id, Uuid::nil())] {
        let made = client.trigger_event(&sample.org_id, team, user, new()).send().await;
        assert!(matches!(made, Err(Error::NotFound(_))), "{team} {user}");
    }
    let left = running.store.undelivered(10).await.expect("a list");
    assert_eq!(left.len(), 3);
    assert!(left[2].reason.contains("503"), "it was replayed: {left:?}");
}

#[tokio::test]
async fn an_event_of_any_type_is_made_up() {
    let running = Running::start(5).await;
    let (client, sample) = (running.client(), &running.sample);
    let made = |event_type: &str| {
        let new = NewEvent::builder().event_type(event_type).build();
        client.trigger_event(&sample.org_id, sample.team_id, sample.user_id, new)
    };
    let event_id = made("daily.data.sleep.updated")
        .send()
        .await
        .expect("an event")
        .into_inner()
        .event_id;
    let event = client
        .get_event(&sample.org_id, &event_id)
        .send()
        .await
        .expect("an event");
    assert_eq!(event.event_type, "daily.data.sleep.updated");
    let before = running.store.last_event().await.expect("a number");
    for wrong in ["weekly.data.steps.created", "daily", "daily.data.st eps.created"] {
        let error = made(wrong).send().await.expect_err("no such type");
        assert!(error.to_string().contains("/body/event_type"), "{wrong}: {error}");
    }
    assert_eq!(running.store.last_event().await.expect("a number"), before);
}
