//! The commands as operators meet them: processes, what they say, what they leave behind.

mod export;
mod import;
mod ingest;
mod keys;
mod mistakes;
mod place;
mod serve;
mod upkeep;
mod webhooks;
