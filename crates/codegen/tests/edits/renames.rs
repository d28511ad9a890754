//! Renames of what code by hand may know by name.
