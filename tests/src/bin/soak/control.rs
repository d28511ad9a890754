//! Reference server that does nothing: measures the cost of a request on this machine at this moment.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use anyhow::Result;

/// Approximate length of the response for a user.
const LENGTH: usize = 600;

/// Starts the server for the rest of this process, and returns its URL.
pub(crate) fn start() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || response(&stream));
        }
    });
    Ok(url)
}

/// Sends the same response to each request of a connection.
fn response(mut stream: &TcpStream) -> std::io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {LENGTH}\r\n\r\n");
    let response = head + &" ".repeat(LENGTH);
    let mut lines = BufReader::new(stream).lines();
    // An empty line ends a request, since there are no bodies.
    while let Some(line) = lines.next().transpose()? {
        if line.is_empty() {
            stream.write_all(response.as_bytes())?;
        }
    }
    Ok(())
}
