//! Commands whose standard output nobody reads.

use std::process::{Command, Output, Stdio};

/// Runs a command whose standard output is a pipe that is closed already.
pub(crate) fn with_closed_output(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the binary starts");
    drop(child.stdout.take());
    child.wait_with_output().expect("it ends")
}
