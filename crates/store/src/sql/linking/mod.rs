//! Providers, connections of users, the tokens of both, and the tasks of connectors.

pub(crate) mod authorization_requests;
pub(crate) mod connection_list;
pub(crate) mod connections;
pub(crate) mod link_tokens;
pub(crate) mod notices;
pub(crate) mod oauth_tokens;
pub(crate) mod provider_settings;
pub(crate) mod provider_users;
pub(crate) mod providers;
pub(crate) mod pull_leases;
pub(crate) mod pull_tasks;
pub(crate) mod redirect_urls;
