//! Paging of every list against a naive model, while rows are added and deleted between the requests.

mod catalogue;
mod changes;
mod walks;
mod world;

use wearlab_client::{Client, Error};
use wearlab_models::{DateTime, Uuid};
use wearlab_tests::Running;

use crate::seed::Seed;

use self::changes::Writer;
use self::walks::{CursorWalk, OffsetWalk};
use self::world::{ACCOUNTS, KEY, KINDS, MANAGEMENT, ORGANISATION, PLACES, TESTS, World};

const STEPS: u32 = 3_000;

/// Random numbers from a seed.
struct Draw(u64);

impl Draw {
    /// Returns the next number, below a bound.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("below a length")
    }

    fn one_of<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.index(list.len())]
    }
}

/// Clients of lists, with their progress.
struct Readers {
    client: Client,
    users: Vec<OffsetWalk<(DateTime, Uuid)>>,
    /// Markers with the lab test and the account of each.
    markers: Vec<(usize, Option<usize>, OffsetWalk<i64>)>,
    /// Pipelines with the place of each.
    pipelines: Vec<(usize, CursorWalk)>,
}

#[tokio::test]
async fn every_list_is_as_the_model_has_it_while_rows_come_and_go() {
    let running = Running::start(5).await;
    let seed = Seed::one(1);
    let mut draw = Draw(seed.number());
    let mut writer = Writer::start(&running, &mut draw).await;
    let client = Client::builder()
        .base_url(&running.url)
        .api_key(KEY)
        .management_key(MANAGEMENT);
    let mut readers = Readers::new(client.build().expect("a client"), &writer.world, &mut draw);
    for step in 0..STEPS {
        if draw.below(5) < 2 {
            let before = writer.world.clone();
            writer.change(&mut draw).await;
            readers.update(&before, &writer.world);
        } else {
            readers.read(&writer.world, &mut draw, step).await;
        }
    }
    assert!(
        readers.users.iter().map(|walk| walk.ended).sum::<u32>() > 20,
        "walks came to their ends"
    );
    assert!(readers.markers.iter().map(|(_, _, walk)| walk.ended).sum::<u32>() > 20);
    assert!(readers.pipelines.iter().map(|(_, walk)| walk.ended).sum::<u32>() > 20);
}

impl Readers {
    fn new(client: Client, world: &World, draw: &mut Draw) -> Self {
        let size = |draw: &mut Draw| 1 + draw.index(20);
        let kinds = [(0, None), (0, Some(0)), (1, Some(1)), (2, None)];
        Self {
            client,
            users: (0..3)
                .map(|_| OffsetWalk::start(&world.user_places(), size(draw)))
                .collect(),
            markers: kinds
                .map(|(test, account)| {
                    let walk = OffsetWalk::start(&world.marker_ids(test, account).unwrap_or_default(), size(draw));
                    (test, account, walk)
                })
                .into(),
            pipelines: [0, 1, 0]
                .map(|place| (place, CursorWalk::start(&world.pipeline_ids(place, None))))
                .into(),
        }
    }

    /// Updates the readers in progress.
    fn update(&mut self, before: &World, after: &World) {
        for walk in &mut self.users {
            walk.changed(&before.user_places(), &after.user_places());
        }
        for (test, account, walk) in &mut self.markers {
            let ids = |world: &World| world.marker_ids(*test, *account).unwrap_or_default();
            walk.changed(&ids(before), &ids(after));
        }
        for (place, walk) in &mut self.pipelines {
            walk.changed(&after.pipeline_ids(*place, None));
        }
    }

    async fn read(&mut self, world: &World, draw: &mut Draw, step: u32) {
        match draw.below(10) {
            0..3 => self.page_of_users(world, draw, step).await,
            3..5 => self.page_of_markers(world, draw, step).await,
            5 => self.page_of_pipelines(world, draw, step).await,
            6 => self.pipeline_of_a_team(world, draw, step).await,
            7 => self.catalogues(world, draw, step).await,
            _ => self.one_user(world, draw, step).await,
        }
    }

    async fn page_of_users(&mut self, world: &World, draw: &mut Draw, step: u32) {
        let at = draw.index(self.users.len());
        let walk = &mut self.users[at];
        let (offset, limit) = walk.next();
        let call = self.client.list_users().offset(offset as i64).limit(limit as i64);
        let page = call.send().await.expect("a page of users").into_inner();
        let all = world.listed_users();
        assert_eq!(page.total, all.len() as i64, "step {step}");
        assert_eq!((page.offset, page.limit), (offset as i64, limit as i64), "step {step}");
        let expected: Vec<_> = all.into_iter().skip(offset).take(limit).collect();
        assert_eq!(page.users, expected, "step {step}: from {offset} on");
        walk.took(
            page.users.iter().map(|user| (user.created_on, user.user_id)).collect(),
            page.total,
        );
        walk.restart_if_ended(&world.user_places(), 1 + draw.index(20));
    }

    async fn page_of_markers(&mut self, world: &World, draw: &mut Draw, step: u32) {
        let at = draw.index(self.markers.len());
        let (test, account, walk) = &mut self.markers[at];
        let (offset, size) = walk.next();
        let page = offset / size + 1;
        let call = self.client.list_lab_test_markers(TESTS[*test]);
        let call = call.page(page as i64).size(size as i64);
        let call = match *account {
            Some(account) => call.lab_account_id(ACCOUNTS[account]),
            None => call,
        };
        let got = call.send().await;
        let Some(all) = world.markers(*test, *account) else {
            assert!(matches!(got, Err(Error::NotFound(_))), "step {step}: {got:?}");
            return;
        };
        let got = got.expect("a page of markers").into_inner();
        assert_eq!(got.total, all.len() as i64, "step {step}");
        assert_eq!((got.page, got.size), (page as i64, size as i64), "step {step}");
        let expected: Vec<_> = all.into_iter().skip(offset).take(size).collect();
        assert_eq!(got.markers, expected, "step {step}: from {offset} on");
        walk.took(got.markers.iter().map(|marker| marker.id).collect(), got.total);
        let ids = world.marker_ids(*test, *account).unwrap_or_default();
        walk.restart_if_ended(&ids, 1 + draw.index(20));
    }

    async fn page_of_pipelines(&mut self, world: &World, draw: &mut Draw, step: u32) {
        let at = draw.index(self.pipelines.len());
        let (place, walk) = &mut self.pipelines[at];
        let (env, region) = PLACES[*place];
        let call = self.client.list_team_pipelines(ORGANISATION, env, region);
        let call = match walk.cursor.clone() {
            Some(cursor) => call.next_cursor(cursor),
            None => call,
        };
        let page = call.send().await.expect("a page of pipelines").into_inner();
        let rest = world.pipelines(*place, walk.last);
        let expected: Vec<_> = rest.iter().take(50).cloned().collect();
        assert_eq!(page.pipelines, expected, "step {step}");
        assert_eq!(page.next_cursor.is_some(), rest.len() > 50, "step {step}");
        walk.took(page.pipelines.iter().map(|pipeline| pipeline.team_id), page.next_cursor);
        walk.restart_if_ended(&world.pipeline_ids(*place, None));
    }

    async fn pipeline_of_a_team(&self, world: &World, draw: &mut Draw, step: u32) {
        let place = draw.index(PLACES.len());
        let (env, region) = PLACES[place];
        let teams: Vec<_> = world.pipelines.keys().copied().collect();
        let team = *draw.one_of(&teams);
        let call = self.client.list_team_pipelines(ORGANISATION, env, region);
        let page = call.team_id(team).send().await.expect("one or none").into_inner();
        let mut expected = world.pipelines(place, None);
        expected.retain(|pipeline| pipeline.team_id == team);
        assert_eq!((page.pipelines, page.next_cursor), (expected, None), "step {step}");
    }

    async fn catalogues(&self, world: &World, draw: &mut Draw, step: u32) {
        let all = self.client.list_providers().send().await.expect("providers");
        assert_eq!(*all, world.catalogue(None), "step {step}");
        for kind in [*draw.one_of(&KINDS), "no such kind"] {
            let some = self
                .client
                .list_providers()
                .source_type(kind)
                .send()
                .await
                .expect("providers");
            assert_eq!(*some, world.catalogue(Some(kind)), "step {step}: {kind}");
        }
        let reasons = self.client.list_cancellation_reasons().send().await.expect("reasons");
        assert_eq!(*reasons, world.listed_reasons(), "step {step}");
        let visits = self.client.list_phlebotomy_cancellation_reasons().send().await;
        assert_eq!(*visits.expect("reasons"), world.listed_reasons(), "step {step}");
    }

    async fn one_user(&self, world: &World, draw: &mut Draw, step: u32) {
        // Existing, deleted and unused ids.
        let id = changes::user_id(draw.below(changes::USERS + 1));
        let client = &self.client;
        let user = client.get_user(id).send().await;
        let providers = client.list_user_providers(id).send().await;
        let devices = client.list_user_devices(id).send().await;
        let resolved = match world.user(id) {
            Some(user) => self.client.resolve_user(&user.client_user_id).send().await,
            None => self.client.resolve_user(id.to_string()).send().await,
        };
        let Some(expected) = world.user(id) else {
            assert!(matches!(resolved, Err(Error::NotFound(_))), "step {step}");
            assert!(matches!(user, Err(Error::NotFound(_))), "step {step}");
            assert!(matches!(providers, Err(Error::NotFound(_))), "step {step}");
            assert!(matches!(devices, Err(Error::NotFound(_))), "step {step}");
            return;
        };
        assert_eq!(*user.expect("a user"), expected, "step {step}");
        assert_eq!(*resolved.expect("a user"), expected, "step {step}");
        for device in world.listed_devices(id) {
            let one = client.get_user_device(id, device.id).send().await;
            assert_eq!(*one.expect("a device"), device, "step {step}");
            let of_another = client.get_user_device(Uuid::from_u128(0), device.id).send().await;
            assert!(matches!(of_another, Err(Error::NotFound(_))), "step {step}");
        }
        assert_eq!(
            providers.expect("connections").providers,
            world.listed_connections(id),
            "step {step}"
        );
        assert_eq!(*devices.expect("devices"), world.listed_devices(id), "step {step}");
    }
}
