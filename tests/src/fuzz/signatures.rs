//! Webhook signatures: signed requests are accepted, changed ones are refused, and no header causes a panic.

use std::time::{Duration, SystemTime};

use wearlab_models::webhook::{SigningSecret, Verifier, VerifyError};

use super::bytes::Choices;

/// Current time, in seconds since 1970.
const NOW: u64 = 1_700_000_000;

const TIMES: [u64; 9] = [
    NOW,
    NOW - 300,
    NOW + 300,
    NOW - 301,
    NOW + 301,
    0,
    1,
    i64::MAX as u64,
    u64::MAX,
];

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Webhook request.
struct Request {
    svix: bool,
    id: String,
    timestamp: String,
    signatures: String,
    body: Vec<u8>,
}

/// Verifies a request.
pub fn signatures(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let (first, second, other) = (
        secret(1, &mut choices),
        secret(2, &mut choices),
        secret(3, &mut choices),
    );
    let verifier = Verifier::new(first.clone()).or(second.clone());
    let signer = if choices.below(2) == 0 { &first } else { &second };
    let time = *choices.of(&TIMES);
    // An id must not contain the separator of the signed parts.
    let id = choices.text().replace('.', "");
    let body = choices.bytes().to_owned();
    let good = signer.sign(&id, time, &body);
    let garbage = [choices.text(), choices.text()].map(|text| text.replace(' ', ","));
    let foreign = other.sign(&id, time, &body);
    let request = Request {
        svix: choices.below(2) == 1,
        signatures: format!("{} {foreign} {good} {}", garbage[0], garbage[1]),
        timestamp: time.to_string(),
        id,
        body,
    };

    let taken = check(&verifier, &request);
    if time.abs_diff(NOW) > 300 {
        // The last time of this machine's clock is not accepted.
        assert!(
            matches!(taken, Err(VerifyError::Stale | VerifyError::Timestamp)),
            "{taken:?}"
        );
        return;
    }
    taken.expect("signed, and of these minutes");
    changed(&verifier, request, &good, &foreign, &mut choices);
    read(&choices.text());
}

/// Checks that a changed request is refused.
fn changed(verifier: &Verifier, mut request: Request, good: &str, foreign: &str, choices: &mut Choices<'_>) {
    match choices.below(5) {
        0 => request.signatures = choices.text(),
        1 => request.signatures = foreign.to_owned(),
        2 => {
            // A position after `v1,`, and before the padding.
            let mut signature = good.as_bytes().to_owned();
            let at = 3 + choices.below(signature.len() - 4);
            let old = signature[at];
            signature[at] = *choices.of(BASE64);
            if signature[at] == old {
                return;
            }
            request.signatures = String::from_utf8_lossy(&signature).into_owned();
        }
        3 => request.id.push('1'),
        _ => {
            let at = choices.below(request.body.len());
            let byte = choices.byte().max(1);
            match request.body.get_mut(at) {
                Some(changed) => *changed ^= byte,
                None => request.body.push(byte),
            }
        }
    }
    let error = check(verifier, &request).expect_err("what was changed is not signed");
    assert!(matches!(error, VerifyError::Signature), "{error}");
    let timestamp = choices.text();
    if timestamp != request.timestamp {
        request.timestamp = timestamp;
        check(verifier, &request).expect_err("another time is not signed");
    }
}

/// Checks that a secret is refused, or parsed and formatted unchanged.
fn read(text: &str) {
    for text in [text.to_owned(), format!("whsec_{text}")] {
        if let Ok(secret) = text.parse::<SigningSecret>() {
            let written = secret.expose();
            assert_eq!(written.trim_end_matches('='), text.trim_end_matches('='));
            assert_eq!(written.parse::<SigningSecret>().expect("a secret").expose(), written);
        }
    }
}

fn secret(first: u8, choices: &mut Choices<'_>) -> SigningSecret {
    let mut bytes = vec![choices.byte(); 24 + choices.below(41)];
    // All secrets differ.
    bytes[0] = first;
    SigningSecret::from_bytes(&bytes).expect("24 to 64 bytes")
}

fn check(verifier: &Verifier, request: &Request) -> Result<(), VerifyError> {
    let header = |name: &str| {
        let name = name.strip_prefix(if request.svix { "svix-" } else { "webhook-" })?;
        match name {
            "id" => Some(request.id.as_str()),
            "timestamp" => Some(request.timestamp.as_str()),
            "signature" => Some(request.signatures.as_str()),
            _ => None,
        }
    };
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    let attempt = verifier.authenticate(header, &request.body, now)?;
    assert_eq!(attempt.id, request.id);
    Ok(())
}
