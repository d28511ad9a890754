//! The files of the embedded engine.

mod available;
mod copies;
mod damaged;
mod files;
mod flipped;
mod forget;
mod forget_arrivals;
mod forget_values;
mod fresh;
mod full;
mod long_texts;
mod orders;
mod refused;
mod replaced;
mod restores;
mod sealed;
mod unknown_types;
mod unknown_zones;
mod upgrade;
mod versions;
mod wal;
mod writes;
