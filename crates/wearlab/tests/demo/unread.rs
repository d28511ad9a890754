//! Tests of a demo whose standard output is a full pipe: it serves, and ends on a signal.

use std::io::{Write, pipe};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Demo, wearlab};

const TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn a_full_pipe_holds_up_neither_the_service_nor_its_end() {
    let address = {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        free.local_addr().expect("an address").to_string()
    };
    // The pipe is full, and nobody reads it.
    let (reader, writer) = pipe().expect("a pipe");
    let mut filler = writer.try_clone().expect("a handle");
    let filling = thread::spawn(move || while filler.write_all(&[b'x'; 4096]).is_ok() {});
    let mut child = wearlab(&["demo", "--listen", &address, "--users", "3", "--days", "0"]);
    thread::sleep(Duration::from_millis(200));
    let child = child.stdout(writer).spawn().expect("the binary starts");
    let mut demo = Demo {
        child,
        says: Value::Null,
        _directory: None,
    };
    let begun = Instant::now();
    let served = || {
        let mut stream = TcpStream::connect(&address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
        stream
            .write_all(b"GET /livez HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n")
            .ok()?;
        let mut head = [0; 12];
        std::io::Read::read_exact(&mut stream, &mut head).ok()?;
        (&head == b"HTTP/1.1 200").then_some(())
    };
    while served().is_none() {
        assert!(begun.elapsed() < TIMEOUT, "it serves");
        thread::sleep(Duration::from_millis(50));
    }
    let id = demo.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("kill runs").success());
    while demo.child.try_wait().expect("it is ours").is_none() {
        assert!(begun.elapsed() < TIMEOUT, "it ends");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(demo.child.wait().expect("it ended").success());
    drop(reader);
    filling.join().expect("no panic");
}
