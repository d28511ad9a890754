//! Connectors of providers, a directory each: the client generated from the provider's document, the conversion of its
//! data to readings, and a simulation of it for tests and demonstrations.

pub mod google_health;
pub mod oura;
mod samples;
mod settings;
pub mod simulated;
mod sports;
#[cfg(test)]
mod testing;
pub mod withings;
mod zones;

pub use self::settings::ConnectorsSettings;
