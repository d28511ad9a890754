//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod corrections;
mod days;
mod http;
mod nights;
mod oauth;
mod refusals;
mod service;
mod settings;
mod zones;
