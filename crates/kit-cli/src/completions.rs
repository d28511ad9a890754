//! Completion scripts of a command line.

use std::io::{self, Write};

use clap::Command;
use clap_complete::Shell;

/// The shell of a completion script.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    /// Prints the completion script of a whole command line to standard output.
    ///
    /// # Errors
    ///
    /// If standard output cannot be written.
    pub fn print(self, mut whole: Command) -> io::Result<()> {
        let name = whole.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut whole, name, &mut script);
        io::stdout().lock().write_all(&script)
    }
}
