//! Tests of the mapping, of the settings, and of pulls from the simulation. All values are made up.

mod activity;
mod corrections;
mod electrocardiograms;
mod http;
mod measures;
mod nights;
mod oauth;
mod refusals;
mod samples;
mod service;
mod settings;
mod workouts;
mod zones;
