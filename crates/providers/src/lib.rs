//! Connectors of providers, a directory each: the client generated from the provider's document, the conversion of its
//! data to readings, and a simulation of it for tests and demonstrations.

mod client;
mod days;
pub mod dexcom;
pub mod google_health;
mod headers;
mod numbers;
pub mod oura;
pub mod polar;
mod records;
mod samples;
mod settings;
pub mod simulated;
mod sports;
mod stages;
pub mod strava;
#[cfg(test)]
mod testing;
pub mod whoop;
pub mod withings;
mod zones;

pub use self::settings::ConnectorsSettings;
