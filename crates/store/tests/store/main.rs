//! What the store promises, through its public interface.

mod catalogue;
mod diagnoses;
mod files;
mod keys;
mod labs;
mod pipelines;
mod users;
mod world;
mod writes;
