//! Changes of users and pipelines, applied to the store and to the model.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use wearlab_models::{Pipeline, Uuid};
use wearlab_store::{KeyRecord, Record, Store, StoreError, TeamId, TeamRecord};
use wearlab_tests::Running;

use super::Draw;
use super::world::{KEY, MANAGEMENT, ORGANISATION, PLACES, TESTS, World};

/// Maximum number of users.
pub(super) const USERS: u64 = 120;
/// Number of teams.
const TEAMS: u64 = 160;

/// Team under test.
pub(super) const TEAM: Uuid = Uuid::from_u128(0x7ea << 64);

pub(super) struct Writer {
    store: Store,
    team: TeamId,
    sister: TeamId,
    pub(super) world: World,
}

pub(super) fn user_id(number: u64) -> Uuid {
    // Neither in the order of the numbers nor in that of time.
    Uuid::from_u128(u128::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(number))
}

fn team_id(number: u64) -> Uuid {
    Uuid::from_u128(u128::from(number + 1) << 32)
}

/// Returns one of a few times, so that several rows share one, with one of two offsets.
fn time(draw: &mut Draw) -> String {
    let (minute, offset) = (draw.below(30), draw.below(2));
    format!("2026-01-01T{:02}:{minute:02}:00+0{offset}:00", 10 + offset)
}

pub(super) fn value<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a value")
}

fn team(id: Uuid, place: usize) -> TeamRecord {
    TeamRecord {
        team_id: id,
        org_id: ORGANISATION.to_owned(),
        environment: PLACES[place].0,
        region: PLACES[place].1,
    }
}

impl Writer {
    /// Creates a world of some size beside the sample, whose catalogues it shares.
    pub(super) async fn start(running: &Running, draw: &mut Draw) -> Self {
        let mut world = World::default();
        let exported = running.store.export::<StoreError>(|record| {
            match record {
                Record::Provider(provider) => {
                    let kind = provider.source_type.as_str().to_owned();
                    let slug = provider.supported.slug.clone();
                    world.providers.insert(slug, (kind, provider.supported));
                }
                Record::CancellationReason(reason) => {
                    world.reasons.insert(reason.id.clone(), reason);
                }
                _ => {}
            }
            Ok(())
        });
        exported.await.expect("reads");
        let teams = running.store.write(|write| {
            write.put_organisation(ORGANISATION)?;
            let own = write.put_team(&team(TEAM, 0))?;
            let sister = write.put_team(&team(Uuid::from_u128(0x515 << 64), 0))?;
            write.put_key(&KeyRecord::of_team(TEAM, KEY))?;
            write.put_key(&KeyRecord::of_organisation(ORGANISATION, MANAGEMENT))?;
            Ok((own, sister))
        });
        let (own, sister) = teams.await.expect("writes");
        let store = running.store.clone();
        let mut writer = Self {
            store,
            team: own,
            sister,
            world,
        };
        for test in 0..TESTS.len() {
            writer.lab_test(test, draw).await;
        }
        for _ in 0..TEAMS / 2 {
            writer.pipeline(draw).await;
        }
        for _ in 0..USERS / 2 {
            writer.user(draw).await;
        }
        writer
    }

    /// Makes a random change.
    pub(super) async fn change(&mut self, draw: &mut Draw) {
        match draw.below(20) {
            0..5 => self.user(draw).await,
            5..8 => self.delete(draw).await,
            8..11 => self.connection(draw).await,
            11..14 => self.device(draw).await,
            14 => self.provider(draw).await,
            15 => self.reason(draw).await,
            16 => {
                let test = draw.index(TESTS.len());
                self.lab_test(test, draw).await;
            }
            17 => self.account(draw).await,
            _ => self.pipeline(draw).await,
        }
    }

    pub(super) async fn put(&self, record: Record) {
        self.store.write(|write| write.put(&record)).await.expect("writes");
    }

    /// Adds or changes a user, who may move in the list, beside one with the same id in another team.
    async fn user(&mut self, draw: &mut Draw) {
        let number = draw.below(USERS);
        let id = user_id(number);
        let mut json = json!({
            "user_id": id,
            "team_id": TEAM,
            "client_user_id": format!("client-{number}"),
            "created_on": time(draw),
            "connected_sources": [],
            "fallback_time_zone": {"id": *draw.one_of(&["Europe/Oslo", "Asia/Tokyo"]), "source_slug": "manual", "updated_at": time(draw)},
        });
        if let Some(known) = self.world.users.get(&id).filter(|_| draw.below(2) == 0) {
            json["created_on"] = serde_json::to_value(known.created_on).expect("JSON");
        }
        let user: wearlab_models::User = value(json.clone());
        json["team_id"] = json!(self.sister.uuid());
        let other: wearlab_models::User = value(json);
        let (team, sister) = (self.team, self.sister);
        let written = self.store.write(|write| {
            write.put_user(team, &user)?;
            write.put_user(sister, &other)
        });
        written.await.expect("writes");
        self.world.users.insert(id, user);
    }

    async fn delete(&mut self, draw: &mut Draw) {
        let id = user_id(draw.below(USERS));
        let team = self.team;
        let deleted = self.store.write(|write| write.delete_user(team, id)).await;
        let known = self.world.users.remove(&id).is_some();
        assert_eq!(deleted.expect("writes"), known);
        self.world.connections.retain(|(user, _), _| *user != id);
        self.world.devices.retain(|_, device| device.user_id != id);
    }

    /// Returns one of the users, if there are any.
    fn somebody(&self, draw: &mut Draw) -> Option<Uuid> {
        let ids: Vec<_> = self.world.users.keys().copied().collect();
        (!ids.is_empty()).then(|| *draw.one_of(&ids))
    }

    async fn connection(&mut self, draw: &mut Draw) {
        let Some(user_id) = self.somebody(draw) else { return };
        let slug = *draw.one_of(&["stridewell", "a", "b", "c"]);
        let provider: wearlab_models::ConnectedProvider = value(json!({
            "name": format!("Name {}", draw.below(3)),
            "slug": slug,
            "logo": "https://logos.example/l.svg",
            "status": *draw.one_of(&["connected", "error", "paused"]),
            "created_on": time(draw),
            "resource_availability": {},
        }));
        let team = self.team;
        let written = self.store.write(|write| write.put_connection(team, user_id, &provider));
        written.await.expect("writes");
        self.world.connections.insert((user_id, slug.to_owned()), provider);
    }

    /// Adds or changes a device, or moves it to another user.
    async fn device(&mut self, draw: &mut Draw) {
        let Some(user_id) = self.somebody(draw) else { return };
        let id = Uuid::from_u128(u128::from(draw.below(60)) << 90);
        let device: wearlab_models::Device = value(json!({
            "id": id,
            "user_id": user_id,
            "provider": "stridewell",
            "source_type": *draw.one_of(&["watch", "ring", "something new"]),
        }));
        let team = self.team;
        let written = self.store.write(|write| write.put_device(team, &device));
        written.await.expect("writes");
        self.world.devices.insert(id, device);
    }

    /// Adds or changes a team with its pipeline, or moves it to the other place.
    async fn pipeline(&mut self, draw: &mut Draw) {
        let id = team_id(draw.below(TEAMS));
        // Most are in the first place, so that it has several pages.
        let place = usize::from(draw.below(5) == 0);
        let pipeline: Pipeline = value(json!({
            "team_id": id,
            "preferences": {"preferred": "svix", "enabled": ["svix"]},
            "push_historical_data": draw.below(2) == 0,
            "provider_raw_data": false,
            "svix": {"regional": false},
            "event_type_prefixes": [],
        }));
        let written = self.store.write(|write| {
            let team = write.put_team(&team(id, place))?;
            write.put_pipeline(team, &pipeline)
        });
        written.await.expect("writes");
        self.world.pipelines.insert(id, (place, pipeline));
    }
}
