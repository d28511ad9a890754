//! Several services on one PostgreSQL database: they are killed and paused at random, and so are the database and the
//! destination.

mod cluster;
mod effects;
mod finish;
mod ledgers;
mod plan;
mod postgres;
mod probe;
pub(crate) mod resumed;
mod rounds;
mod takeover;

pub(crate) use self::plan::Plan;
pub(crate) use self::postgres::Postgres;
pub(crate) use self::rounds::run;

/// How many teams there are, so that each service has some.
const TEAMS: usize = 6;
