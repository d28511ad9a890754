//! Destinations: pipelines, webhook endpoints, cursors, attempts, and replay.

pub(crate) mod attempts;
pub(crate) mod cursors;
pub(crate) mod deliveries;
pub(crate) mod outages;
pub(crate) mod pipelines;
pub(crate) mod replay;
pub(crate) mod undelivered;
pub(crate) mod webhooks;
