//! Simulated providers, for tests and demonstrations: the server of a provider's document on made-up data, and OAuth.

pub mod body;
pub mod deviations;
pub mod faults;
pub mod local_time;
pub mod noise;
pub(crate) mod notices;
pub mod oauth;
pub mod pages;
pub mod simulation;

pub use crate::dexcom::simulated::router as dexcom;
pub use crate::google_health::simulated::router as google_health;
pub use crate::oura::simulated::router as oura;
pub use crate::polar::simulated::router as polar;
pub use crate::strava::simulated::router as strava;
pub use crate::whoop::simulated::router as whoop;
pub use crate::withings::simulated::router as withings;
