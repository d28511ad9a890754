//! Tests of the PostgreSQL engine beyond those of all engines, on a real server.
//!
//! `WEARLAB_TEST_DATABASE` is its URL, and the script `WEARLAB_POSTGRES_SERVER` starts and stops it in the directory
//! `WEARLAB_POSTGRES_DIR`. Each test has a schema of its own.

#[path = "../store/arriving.rs"]
#[expect(dead_code, reason = "the tests of all engines use more of it")]
mod arriving;
mod cache;
mod connecting;
mod differential;
#[path = "../store/earlier.rs"]
mod earlier;
mod faults;
mod following;
#[path = "../store/place.rs"]
#[expect(dead_code, reason = "the tests of all engines use more of it")]
mod place;
mod plans;
mod prefetch;
#[path = "../store/model/random.rs"]
mod random;
mod refused;
mod retention;
mod sealed;
#[path = "../../../../tests/src/seed.rs"]
mod seed;
mod server;
mod silent;
mod upgrade;
#[path = "../store/world.rs"]
#[expect(dead_code, reason = "the tests of all engines use more of it")]
mod world;
