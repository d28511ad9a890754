//! Commands whose standard output is closed.

use std::process::{Command, Output, Stdio};

/// Runs a command whose standard output is a closed pipe.
pub(crate) fn with_closed_output(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the binary starts");
    drop(child.stdout.take());
    child.wait_with_output().expect("it ends")
}
