//! What the store promises, through its public interface.
//!
//! `copies`, `files`, `forget`, `full`, `refused`, `sealed` and `versions` look at the files of the embedded engine. All else says
//! what any engine keeps to.

mod arrivals;
mod arriving;
mod attempts;
mod catalogue;
mod concurrent;
mod connections;
mod copies;
mod files;
mod forget;
mod full;
mod key_list;
mod keys;
mod labs;
mod lifecycle;
mod model;
mod notes;
mod pipelines;
mod pulls;
mod records;
mod refused;
mod sealed;
mod users;
mod versions;
mod world;
mod writes;
