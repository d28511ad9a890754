//! Tests of the generated client with the running service.

#[path = "../src/seed.rs"]
mod seed;

mod administration;
mod bodies;
mod compatibility;
mod conditional;
mod console;
mod coverage;
mod credentials;
mod errors;
mod event_log;
mod events;
mod examples;
mod filters;
mod http;
mod intake;
mod isolation;
mod labs;
mod linking;
mod mcp;
mod model;
mod nul;
mod older_and_newer;
mod operations;
mod paging;
mod pulls;
mod requests;
mod resume;
mod retries;
mod settings;
mod spans;
mod tries_in_time;
mod values;
mod writes;
