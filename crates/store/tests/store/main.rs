//! What the store promises, through its public interface.

mod attempts;
mod catalogue;
mod concurrent;
mod connections;
mod files;
mod forget;
mod full;
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
