//! Simulated providers, for tests and demonstrations: the server of a provider's document on made-up data, and OAuth.

pub mod faults;
pub mod local_time;
pub mod noise;
pub mod oauth;

pub use crate::google_health::simulated::router as google_health;
pub use crate::oura::simulated::router as oura;
pub use crate::withings::simulated::router as withings;
