//! Organisations and teams, their keys, and their requests: the audit log and idempotency keys.

pub(crate) mod audit_log;
pub(crate) mod idempotency_keys;
pub(crate) mod key_cache;
pub(crate) mod keys;
pub(crate) mod teams;
