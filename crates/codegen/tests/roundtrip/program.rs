//! Source files of the programs, apart from the generated ones.

/// Files of both programs, by their names.
pub(crate) const SHARED: [(&str, &str); 5] = [
    ("calls.rs", include_str!("program/calls.rs")),
    ("instances.rs", include_str!("program/instances.rs")),
    ("scalars.rs", include_str!("program/scalars.rs")),
    ("service.rs", include_str!("program/service.rs")),
    ("streams.rs", include_str!("program/streams.rs")),
];
