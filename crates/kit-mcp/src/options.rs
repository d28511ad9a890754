//! Options of the command, and its transports.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, FromArgMatches};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use wearlab_kit_cli::{Commands, Connection, Failure};

use crate::error::Error;
use crate::http;
use crate::selection::Selection;
use crate::server::Server;
use crate::tools::Tools;

const TAG: &str = "tag";

/// The server, with its options.
#[derive(Clone, Debug)]
pub struct Options<T: Tools> {
    connection: Connection<T::Commands>,
    settings: Settings,
}

#[derive(Args, Clone, Debug)]
struct Settings {
    /// Offer tools that change data, too.
    #[arg(long)]
    allow_writes: bool,
    /// Offer the tools of this tag alone; may be repeated.
    #[arg(id = TAG, long, value_name = "TAG")]
    tags: Vec<String>,
    /// Limit of a result in bytes; the rest is cut.
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    max_result_bytes: usize,
    /// Serve HTTP at this address, such as 127.0.0.1:8090, in place of standard input and output. A port alone is one of
    /// this machine's loopback; port 0 selects a free one. The URL is printed.
    #[arg(long, value_name = "ADDR", value_parser = address)]
    listen: Option<SocketAddr>,
    /// A name that requests may have in their header Host besides localhost; required with an address that others reach.
    #[arg(long, value_name = "HOST", requires = "listen")]
    allow_host: Vec<String>,
}

impl<T: Tools> Options<T> {
    /// Serves until the client closes the connection, or with `--listen` without end.
    pub async fn run(self) -> ExitCode {
        let Err(error) = self.serve().await else {
            return ExitCode::SUCCESS;
        };
        // A failure of standard error cannot be reported.
        let _ = writeln!(io::stderr(), "{}: {error}", T::Commands::NAME);
        match error {
            Error::Option(failure) => failure.exit_code().into(),
            Error::Transport(_) => ExitCode::FAILURE,
        }
    }

    async fn serve(self) -> Result<(), Error> {
        let (listen, hosts) = (self.settings.listen, self.settings.allow_host.clone());
        if let Some(address) = listen.filter(|address| !address.ip().is_loopback() && hosts.is_empty()) {
            let message = format!(
                "--listen {address}: others reach this address, and act with the credentials of this server; give the \
                 name that they use as --allow-host"
            );
            return Err(Failure::Usage(message).into());
        }
        let server = self.server()?;
        match listen {
            Some(address) => http::serve(server, address, hosts).await,
            None => serve_stdio(server).await,
        }
    }

    /// Creates the server, for another transport.
    ///
    /// # Errors
    ///
    /// An invalid option, and credentials that no tool accepts.
    pub fn server(self) -> Result<Server<T>, Failure> {
        let Settings {
            allow_writes: writes,
            tags,
            max_result_bytes,
            ..
        } = self.settings;
        let server = Server::new(self.connection.service()?, Selection { writes, tags }, max_result_bytes);
        if server.is_empty() {
            let keys = T::Commands::KEYS.iter().map(|key| format!("--{}", key.option));
            return Err(Failure::Usage(format!(
                "no tool can be offered: give a credential, such as {}",
                keys.collect::<Vec<_>>().join(", ")
            )));
        }
        Ok(server)
    }
}

/// Serves standard input and output until the client closes them.
async fn serve_stdio<T: Tools>(server: Server<T>) -> Result<(), Error> {
    match server.serve(stdio_pipes()).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(Error::Transport(format!("the server failed: {error}"))),
        },
        // The client ended before it began.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        // Messages are not shown: they may hold anything.
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => Err(Error::Transport(
            "standard input is not a session of MCP: its first message must be `initialize`".to_owned(),
        )),
        Err(error) => Err(Error::Transport(format!("cannot begin a session: {error}"))),
    }
}

/// Parses an address, or a port of the loopback.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse()
        .map_err(|_| "expected an IP address with a port, such as 127.0.0.1:8090, or a port".to_owned())
}

impl<T: Tools> Args for Options<T> {
    fn augment_args(command: Command) -> Command {
        let mut tags: Vec<_> = T::TOOLS.iter().map(|tool| tool.tag).collect();
        tags.sort_unstable();
        tags.dedup();
        let command = Settings::augment_args(Connection::<T::Commands>::augment_args(command));
        command.mut_arg(TAG, |arg| arg.value_parser(PossibleValuesParser::new(tags)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Tools> FromArgMatches for Options<T> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            connection: Connection::from_arg_matches(matches)?,
            settings: Settings::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_port_alone_is_one_of_the_loopback() {
        for (text, expected) in [
            ("8090", Some("127.0.0.1:8090")),
            ("0", Some("127.0.0.1:0")),
            ("[::1]:1", Some("[::1]:1")),
            ("10.0.0.9:80", Some("10.0.0.9:80")),
            ("localhost:1", None),
            ("70000", None),
        ] {
            let parsed = address(text).ok().map(|address| address.to_string());
            assert_eq!(parsed.as_deref(), expected, "{text}");
        }
    }
}
