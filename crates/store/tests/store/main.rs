//! What the store promises, through its public interface.

mod catalogue;
mod connections;
mod files;
mod keys;
mod labs;
mod notes;
mod pipelines;
mod refused;
mod users;
mod world;
mod writes;
