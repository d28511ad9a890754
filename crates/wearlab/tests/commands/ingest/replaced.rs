//! Tests of a store whose files are removed or replaced during an ingest.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::time::Duration;

use serde_json::json;

use super::{acks, data, log, piped};
use crate::fixture::{Fixture, error};

#[test]
fn nothing_is_acknowledged_that_goes_to_a_store_that_is_gone() {
    for restored in [false, true] {
        let fixture = Fixture::with_world();
        let copy = fixture.directory.path().join("copy.db").display().to_string();
        fixture.says(&["backup", &copy]);
        let mut child = piped(fixture.command(&["ingest", "-", "--acks"]));
        let acks = acks(&mut child);
        let mut stdin = child.stdin.take().expect("piped");
        let mut send = |day: usize| {
            let line = data(json!({"date": format!("2026-05-{day:02}")}));
            stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush())
        };
        send(1).expect("writes");
        assert_eq!(acks.recv_timeout(Duration::from_secs(60)), Ok(1));
        fs::rename(fixture.data(), fixture.directory.path().join("old")).expect("moves");
        if restored {
            fixture.says(&["restore", &copy]);
        }
        // It may exit before it reads this.
        let _ = send(2);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1));
        let message = error(&output);
        assert!(
            message.contains("its files were removed, replaced or truncated while it was open"),
            "{message}"
        );
        assert!(acks.recv().is_err(), "no more is acknowledged");
        if restored {
            assert_eq!(log(&fixture).len(), 0, "nothing is in the one that was restored");
        }
    }
}
