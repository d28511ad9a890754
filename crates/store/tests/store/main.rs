//! What the store promises, through its public interface.
//!
//! `copies`, `files`, `forget`, `full`, `refused` and `sealed` look at the files of the embedded engine. All else says
//! what any engine keeps to.

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
mod notes;
mod pipelines;
mod records;
mod refused;
mod sealed;
mod users;
mod world;
mod writes;
