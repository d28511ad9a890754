//! Linking of providers: from a link token through the pages and a provider's OAuth server to a connection, with all
//! failures on the way.

mod browser;
mod database;
mod flow;
mod hanging;
mod mix_up;
mod pages;
mod provider;
mod refresh;
mod refused;
mod revocation;
mod secret_key;
mod settings;
mod shape;
mod shapes;
mod user_action;
mod world;
