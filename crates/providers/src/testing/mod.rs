//! Shared by the tests of all providers.

mod failures;
pub(crate) mod notices;
pub(crate) mod oauth;
mod readings;
mod service;

pub(crate) use self::failures::failures;
pub(crate) use self::readings::{by_id, by_time, check_arrivals, read, values};
pub(crate) use self::service::{Service, client, last_days, pull, serve, session};
