//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod days;
mod http;
mod oauth;
mod refusals;
mod samples;
mod service;
mod settings;
mod sleep;
mod workouts;
mod zones;
