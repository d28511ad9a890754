//! Order of users, compared with a sorted list.

mod cost;
#[path = "../../../../../../tests/src/seed.rs"]
mod seed;

use std::collections::BTreeMap;

use chrono::DateTime;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;
use wearlab_database::{Database, sqlite};
use wearlab_models::{Environment, Region, User};

use self::seed::Seed;
use super::{BlockSizes, RankKey, key};
use crate::core::Core;
use crate::schema::EMBEDDED;
use crate::sql::Transaction;
use crate::sql::connection::Connection;
use crate::sql::users::user;
use crate::sql::value::params;
use crate::{EmbeddedSettings, StoreError, TeamId, TeamRecord};

struct World {
    _directory: TempDir,
    core: Core,
    teams: [TeamId; 3],
}

impl World {
    fn new(runs: BlockSizes) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let database =
            sqlite::Database::open(directory.path(), &EMBEDDED, &EmbeddedSettings::default()).expect("opens");
        let core = Core::new(Database::Embedded(database), &[])
            .expect("is sound")
            .with_block_sizes(runs);
        let teams = core.write(|writer| {
            writer.put_organisation("org")?;
            let teams = [1, 2, 3].map(|id| {
                writer.put_team(&TeamRecord {
                    team_id: Uuid::from_u128(id),
                    org_id: "org".to_owned(),
                    environment: Environment::Sandbox,
                    region: Region::Eu,
                })
            });
            Ok(teams.map(|team| team.expect("a team")))
        });
        Self {
            _directory: directory,
            core,
            teams: teams.expect("writes"),
        }
    }
}

fn put(writer: &Transaction<'_>, team: TeamId, id: u128, at: i64) -> Result<(), StoreError> {
    let at = DateTime::from_timestamp_nanos(at).to_rfc3339();
    let user: User = serde_json::from_value(json!({
        "user_id": Uuid::from_u128(id),
        "team_id": team.uuid(),
        "client_user_id": id.to_string(),
        "created_on": at,
        "connected_sources": [],
        "fallback_time_zone": {"id": "UTC", "source_slug": "manual", "updated_at": at},
    }))
    .expect("a user");
    writer.put_user(team, &user)
}

/// The users of a team, with their times of creation.
type Model = BTreeMap<u128, i64>;

fn ordered(model: &Model) -> Vec<u128> {
    let mut users: Vec<_> = model.iter().map(|(id, at)| (*at, *id)).collect();
    users.sort_unstable();
    users.into_iter().map(|(_, id)| id).collect()
}

/// Panics unless runs begin at their first member, have correct counts, and are within the limits.
fn assert_sound(connection: &Connection<'_>, team: TeamId, runs: BlockSizes) {
    let table = |table: &str, counts: &str| -> Vec<(RankKey, i64, i64)> {
        let sql = format!("SELECT created_on, user_id, {counts} FROM {table} WHERE team_id = ?1 ORDER BY 1, 2");
        let rows = connection.all(&sql, params![team.as_bytes()], |row| {
            Ok((key(row)?, row.get(2)?, row.get(3)?))
        });
        rows.expect("rows")
    };
    let users = table("users", "1, 0");
    let blocks = table("user_blocks", "users, 1");
    let groups = table("user_groups", "users, blocks");
    for (runs, parts, most) in [(&blocks, &users, runs.block), (&groups, &blocks, runs.group)] {
        let mut parts = parts.iter().peekable();
        for (at, (begin, users, blocks)) in runs.iter().enumerate() {
            let end = runs.get(at + 1).map(|next| next.0);
            assert_eq!(
                parts.peek().map(|part| part.0),
                Some(*begin),
                "a run begins with its first part"
            );
            let (mut held, mut sum, mut blocks_held) = (0, 0, 0);
            while let Some(part) = parts.next_if(|part| end.is_none_or(|end| part.0 < end)) {
                held += 1;
                sum += part.1;
                blocks_held += part.2;
            }
            assert_eq!(sum, *users, "users of a run");
            assert!(held <= most, "{held} in a run");
            // A block has no blocks: it is one.
            assert!(
                blocks_held == *blocks || *blocks == 1 && blocks_held == 0,
                "blocks of a group"
            );
        }
        assert_eq!(parts.next(), None, "nothing is in no run");
    }
}

fn assert_pages(connection: &Connection<'_>, team: TeamId, model: &Model, limit: usize, every_offset: bool) {
    let expected = ordered(model);
    let limit_of = i64::try_from(limit).expect("fits");
    let step = if every_offset { 1 } else { limit };
    for offset in (0..=expected.len() + 2 * limit).step_by(step) {
        let page = user::page(connection, team, i64::try_from(offset).expect("fits"), limit_of)
            .expect("reads")
            .expect("fits the counts");
        assert_eq!(usize::try_from(page.total), Ok(expected.len()));
        let found: Vec<u128> = page
            .users
            .iter()
            .map(|user| {
                let user: User = serde_json::from_slice(user.as_bytes()).expect("a user");
                user.user_id.as_u128()
            })
            .collect();
        let until = expected.len().min(offset + limit);
        assert_eq!(found, expected[offset.min(until)..until], "{limit} at {offset}");
    }
}

/// Random operation of a user.
fn change(rng: &mut ChaCha8Rng, model: &Model, step: i64) -> (u128, Option<i64>) {
    let known = |rng: &mut ChaCha8Rng| {
        let at = rng.random_range(0..model.len());
        model.iter().nth(at).map(|(id, at)| (*id, *at)).expect("a user")
    };
    // Few times, so that many are equal; ids in random order.
    let fresh: u128 = rng.random();
    match rng.random_range(0..100) {
        _ if model.len() < 3 => (fresh, Some(0)),
        0..20 => (fresh, Some(1_000_000 + step)),
        20..35 => (fresh, Some(-1_000_000 - step)),
        35..50 => (fresh, Some(rng.random_range(-50..50))),
        50..55 => (fresh, Some(7)),
        55..60 => (fresh, Some([i64::MIN, i64::MAX][rng.random_range(0..2)])),
        60..70 => {
            let (id, at) = known(rng);
            (id, Some(at.saturating_add(rng.random_range(-3..3))))
        }
        70..80 => (known(rng).0, Some(rng.random_range(-2_000_000..2_000_000))),
        _ => (known(rng).0, None),
    }
}

#[test]
fn pages_are_those_of_a_sorted_list() {
    for (seed, runs) in [
        (1, BlockSizes { block: 1, group: 1 }),
        (2, BlockSizes { block: 2, group: 2 }),
        (3, BlockSizes { block: 3, group: 4 }),
        (4, BlockSizes { block: 8, group: 3 }),
    ] {
        let world = World::new(runs);
        let seed = Seed::one(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
        let mut models: [Model; 3] = Default::default();
        for round in 0..20_i64 {
            let written = world.core.write(|writer| {
                for step in 0..60 {
                    let which = rng.random_range(0..3_usize);
                    let (team, model) = (world.teams[which], &mut models[which]);
                    let (id, at) = change(&mut rng, model, round * 60 + step);
                    match at {
                        Some(at) => {
                            put(writer, team, id, at)?;
                            model.insert(id, at);
                        }
                        None => {
                            assert!(writer.delete_user(team, Uuid::from_u128(id))?);
                            assert!(!writer.delete_user(team, Uuid::from_u128(id))?);
                            model.remove(&id);
                        }
                    }
                    if step % 15 == 0 {
                        writer.count_entered()?;
                        assert_sound(writer.connection, team, runs);
                    }
                }
                Ok(())
            });
            written.expect("writes");
            let read = world.core.database().read(|connection| {
                for (team, model) in world.teams.into_iter().zip(&models) {
                    assert_sound(connection, team, runs);
                    assert_pages(connection, team, model, 17, round == 15);
                }
                Ok(())
            });
            read.expect("reads");
        }
        assert!(models.iter().any(|model| model.len() > 100), "enough to split groups");
        let emptied = world.core.write(|writer| {
            for (team, model) in world.teams.into_iter().zip(&models) {
                for id in model.keys() {
                    assert!(writer.delete_user(team, Uuid::from_u128(*id))?);
                }
                assert_sound(writer.connection, team, runs);
            }
            let left = "SELECT (SELECT count(*) FROM user_blocks) + (SELECT count(*) FROM user_groups)";
            let left: i64 = writer.connection.one(left, params![], |row| row.get(0))?;
            assert_eq!(left, 0, "runs of nobody");
            Ok(())
        });
        emptied.expect("writes");
    }
}

#[test]
fn users_in_their_order_and_against_it() {
    let runs = BlockSizes { block: 4, group: 4 };
    let orders: [fn(i64) -> i64; 3] = [|step| step, |step| -step, |_| 5];
    for order in orders {
        let world = World::new(runs);
        let team = world.teams[0];
        let mut model = Model::new();
        let written = world.core.write(|writer| {
            for step in 0..300 {
                let id = u128::try_from(step).expect("fits");
                put(writer, team, id, order(step))?;
                model.insert(id, order(step));
            }
            writer.count_entered()?;
            assert_sound(writer.connection, team, runs);
            assert_pages(writer.connection, team, &model, 11, false);
            Ok(())
        });
        written.expect("writes");
    }
}

#[test]
fn users_of_a_part_that_is_rolled_back_are_not_counted() {
    const LOST: StoreError = StoreError::Missing { what: "nothing" };
    let runs = BlockSizes { block: 4, group: 4 };
    let world = World::new(runs);
    let team = world.teams[0];
    let mut model = Model::new();
    let written = world.core.write(|writer| {
        for step in 0..300_i64 {
            let id = |part: i64| u128::try_from(step * 10 + part).expect("fits");
            let at = |part: i64| (step * 37 + part) % 100;
            let parts = writer.attempt(|writer| {
                put(writer, team, id(0), at(0))?;
                let inner = writer.attempt(|writer| {
                    put(writer, team, id(1), at(1))?;
                    if step % 3 == 0 { Err(LOST) } else { Ok(1) }
                });
                put(writer, team, id(2), at(2))?;
                match step % 5 {
                    0 => Err(LOST),
                    _ => Ok([Some(0), inner.ok(), Some(2)]),
                }
            });
            let parts = parts.into_iter().flatten().flatten();
            model.extend(parts.map(|part| (id(part), at(part))));
        }
        Ok(())
    });
    written.expect("writes");
    let read = world.core.database().read(|connection| {
        assert_sound(connection, team, runs);
        assert_pages(connection, team, &model, 11, false);
        Ok(())
    });
    read.expect("reads");
}
