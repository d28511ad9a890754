//! Hostile brokers, which violate the protocol. They need no RabbitMQ.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wearlab_delivery::Destination;

use super::{down, exchange, message};

/// Maximum number of accepted levels.
const DEEPEST: usize = 16;

/// Nested arrays as the field of a table, or tables with a field without a name.
fn nested(levels: usize, arrays: bool) -> Vec<u8> {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("a length").to_be_bytes();
    // From the inside out, backwards: else each level would copy those in it.
    let mut backwards = Vec::new();
    for _ in 0..levels {
        let length = u32::try_from(backwards.len()).expect("a length").to_be_bytes();
        backwards.extend(length.iter().rev());
        backwards.push(if arrays { b'A' } else { b'F' });
        if !arrays {
            backwards.push(0);
        }
    }
    if arrays {
        backwards.push(0);
    }
    backwards.reverse();
    [&length(&backwards)[..], &backwards].concat()
}

/// `Connection.Start` with the given properties.
fn start(properties: &[u8]) -> Vec<u8> {
    let class_and_version = [0, 10, 0, 10, 0, 9];
    let payload = [
        &class_and_version[..],
        properties,
        b"\0\0\0\x05PLAIN",
        b"\0\0\0\x05en_US",
    ]
    .concat();
    let size = u32::try_from(payload.len()).expect("a size").to_be_bytes();
    [&[1, 0, 0][..], &size, &payload, &[0xCE]].concat()
}

/// The reason for a broker that begins with a frame.
async fn reason(frame: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let broker = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut header = [0; 8];
        stream.read_exact(&mut header).await.expect("the protocol header");
        let _ = stream.write_all(&frame).await;
        // Any next frame: StartOk, or the end.
        let _ = stream.read(&mut [0; 4096]).await;
    });
    let outcomes = exchange(&format!("amqp://u:p@127.0.0.1:{port}/v"), "e")
        .deliver(&[message(1, "evt-1")])
        .await;
    broker.await.expect("no panic");
    down(&outcomes).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_tables_end_the_connection_and_nothing_else() {
    for (levels, arrays) in [(DEEPEST + 1, true), (3_000, false), (20_000, false), (20_000, true)] {
        let reason = reason(start(&nested(levels, arrays))).await;
        let expected = "the connection to the broker broke: it sent tables within each other, more than 16 levels deep";
        assert_eq!(reason, expected, "{levels} levels");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deepest_tables_that_are_taken_are_parsed() {
    for arrays in [false, true] {
        let reason = reason(start(&nested(DEEPEST, arrays))).await;
        // The broker ends the connection once it has the login.
        assert!(!reason.contains("levels"), "{reason}");
        assert!(!reason.contains("does not speak AMQP"), "{reason}");
    }
}
