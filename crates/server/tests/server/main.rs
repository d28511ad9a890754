//! Tests of the generated server, as one program.

#[expect(dead_code, reason = "the example's `main` is not run here")]
#[path = "../../examples/in_memory.rs"]
mod in_memory;
mod middleware;
mod partial;
mod requests;
