//! What is kept of values.
